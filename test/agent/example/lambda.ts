/** The example as a Lambda function: the invocation's payload is the request, what it writes is the answer. */
import { once } from 'node:events';
import { answerTo, type Request } from './answer.ts';

export const handler = awslambda.streamifyResponse<Request>(async (request, stream) => {
  for await (const line of answerTo(request, Number(process.env.THINKING_MS ?? 0)))
    if (!stream.write(line)) await once(stream, 'drain');
  stream.end();
});
