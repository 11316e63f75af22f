import type { Settings } from '@tributary/config';
import { createRateLimiter, createRedis, type RedisClient, redisReady } from '@tributary/redis';
import { type Finding, ok, wrong } from './finding.ts';

export async function examineRedis(settings: Settings): Promise<Finding[]> {
  const redis = createRedis({ url: settings.redisUrl, prefix: settings.redisPrefix });
  try {
    await redisReady(redis, 3_000);
    return [await examineWrites(redis), await examineMemory(redis)];
  } finally {
    redis.disconnect();
  }
}

/** Redis may answer pings and still refuse writes. */
async function examineWrites(redis: RedisClient): Promise<Finding> {
  try {
    await createRateLimiter({ redis, nowMs: Date.now }).look();
    return ok('redis', 'answers and counts');
  } catch (error) {
    return wrong(
      'redis',
      `answers and does not count: ${(error as Error).message}`,
      'Is it a replica, or out of memory? Until then each process counts limits by itself, and nobody can sign in.',
    );
  }
}

async function examineMemory(redis: RedisClient): Promise<Finding> {
  const info = await redis.info('memory');
  const number = (name: string) => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1] ?? 0);
  const [used, most] = [number('used_memory'), number('maxmemory')];
  if (most === 0) return ok('redis', `${Math.round(used / 1e6)} MB in use, without a limit`);
  const detail = `${Math.round((used / most) * 100)}% of its memory in use`;
  if (used < 0.9 * most || !info.includes('maxmemory_policy:noeviction')) return ok('redis', detail);
  return wrong('redis', detail, 'Full, it refuses to count. Raise maxmemory, or set maxmemory-policy to volatile-lru.');
}
