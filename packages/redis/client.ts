import { Redis } from 'ioredis';

export interface RedisOptions {
  readonly url: string;
  /** The first part of every key, so that several deployments or test files can share a server. */
  readonly prefix: string;
  readonly onError?: (error: Error) => void;
}

export type RedisClient = Redis;

/**
 * A client that fails at once while Redis is unavailable, instead of queueing: callers have a local fallback, and a request must not wait
 * for a cache.
 */
export function createRedis({ url, prefix, onError = () => {} }: RedisOptions): RedisClient {
  const client = new Redis(url, {
    keyPrefix: `${prefix}:`,
    enableOfflineQueue: false,
    // Commands of one iteration of the event loop share a write: a busy server takes from hundreds of limits at once.
    enableAutoPipelining: true,
    maxRetriesPerRequest: 0,
    connectTimeout: 2_000,
    commandTimeout: 5_000,
    retryStrategy: (attempt) => Math.min(100 * attempt, 2_000),
  });
  client.on('error', onError);
  return client;
}

/** Resolves when the connection is established, or rejects after the time limit. */
export async function redisReady(client: RedisClient, timeoutMs = 5_000): Promise<void> {
  if (client.status === 'ready') return;
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('Redis does not answer (REDIS_URL).')), timeoutMs);
    client.once('ready', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
