/**
 * The DynamoDB client of the functions. The SDK has no time limits of its own: one dead socket would outlive a lease. Its
 * own repetitions are harmless, since every condition knows its own write.
 */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';

export function dynamoClient(): DynamoDBClient {
  return new DynamoDBClient({
    maxAttempts: 3,
    requestHandler: { requestTimeout: 1_500, connectionTimeout: 500, throwOnRequestTimeout: true },
  });
}
