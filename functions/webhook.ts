/** Lambda: takes what the homeserver pushes, decides it, and answers when all of it is stored. */
export { webhook as handler } from './adapters/lambda/webhook.ts';
