import { Redis } from 'ioredis';

const TIMEOUT_MS = 3_000;

/**
 * Opens one connection that does not reconnect, for a check.
 * @throws what the connection failed with: the error reply to the password, or the error of the network.
 */
export async function connectOnce(url: string): Promise<Redis> {
  const redis = new Redis(url, {
    lazyConnect: true,
    // Checks read INFO themselves.
    enableReadyCheck: false,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
    connectTimeout: TIMEOUT_MS,
    commandTimeout: TIMEOUT_MS,
  });
  // `connect` rejects with "Connection is closed" alone.
  let failure: Error | undefined;
  redis.on('error', (error: Error) => (failure ??= error));
  try {
    await redis.connect();
    return redis;
  } catch (error) {
    redis.disconnect();
    throw failure ?? error;
  }
}
