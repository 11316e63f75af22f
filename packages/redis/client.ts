import { Redis } from 'ioredis';

export interface RedisOptions {
  readonly url: string;
  /** First word of every key, so that several deployments or test files share a server. */
  readonly prefix: string;
  readonly onError?: (error: Error) => void;
}

export type RedisClient = Redis;

/**
 * A client that fails at once while Redis is away, instead of queueing: whoever asks has a local answer for that case, and
 * a request must not wait for a cache.
 */
export function createRedis({ url, prefix, onError = () => {} }: RedisOptions): RedisClient {
  const client = new Redis(url, {
    keyPrefix: `${prefix}:`,
    enableOfflineQueue: false,
    // Commands of one turn of the event loop share a write: a busy server asks for hundreds of allowances at once.
    enableAutoPipelining: true,
    maxRetriesPerRequest: 0,
    connectTimeout: 2_000,
    commandTimeout: 5_000,
    retryStrategy: (attempt) => Math.min(100 * attempt, 2_000),
  });
  client.on('error', onError);
  return client;
}

/** Resolves when the connection stands, or rejects after the time given. */
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
