/** DynamoDB's stand-in in a process of its own, as the real one is; it ends with the process that started it. */
import { startDynamoDB } from '../../../bin/dev/dynamodb.ts';

const { endpoint } = await startDynamoDB();
process.send!(endpoint);
process.once('disconnect', () => process.exit());
