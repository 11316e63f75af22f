import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashValue } from './address-group.ts';
import { createRedis, type RedisClient, redisReady } from './client.ts';
import { createGuesses, type Guesses } from './guesses.ts';

let redis: RedisClient;
let guesses: Guesses;
beforeAll(async () => {
  redis = createRedis({ url: process.env.REDIS_URL as string, prefix: `test_${randomUUID()}` });
  await redisReady(redis);
  guesses = createGuesses(redis);
});
afterAll(() => redis.disconnect());

const guess = async (subject: string, place: string, times: number) => {
  const waits: number[] = [];
  for (let one = 0; one < times; one += 1) waits.push(await guesses.take(subject, place));
  return waits;
};

describe('one place', () => {
  test('has five free guesses, then waits, and refused guesses do not count', async () => {
    const waits = await guess('ana', 'office', 8);
    expect(waits.slice(0, 5)).toEqual([0, 0, 0, 0, 0]);
    for (const wait of waits.slice(5)) expect(wait).toSatisfy((ms: number) => ms > 28_000 && ms <= 30_000);
  });

  test('allows no more when the guesses are concurrent', async () => {
    const waits = await Promise.all(Array.from({ length: 40 }, () => guesses.take('bea', 'office')));
    expect(waits.filter((wait) => wait === 0)).toHaveLength(5);
  });

  test('waits twice as long after each further guess, up to an hour', async () => {
    const waits: number[] = [];
    await guess('eva', 'office', 5);
    for (let round = 0; round < 9; round += 1) {
      await redis.hdel(`guess:${hashValue('eva')}:${hashValue('office')}`, 'until');
      await guesses.take('eva', 'office');
      waits.push(Math.round((await guesses.take('eva', 'office')) / 60_000));
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
  });

  test('starts over after a right guess', async () => {
    await guess('ida', 'office', 4);
    await guesses.right('ida', 'office');
    expect(await guess('ida', 'office', 5)).toEqual([0, 0, 0, 0, 0]);
  });
});

describe('many places', () => {
  test('share twenty guesses, which does not affect a place that was right before', async () => {
    expect(await guesses.take('zoe', 'home')).toBe(0);
    await guesses.right('zoe', 'home');
    const waits: number[] = [];
    for (let place = 0; place < 30; place += 1) waits.push(await guesses.take('zoe', `place ${place}`));
    expect(waits.filter((wait) => wait === 0)).toHaveLength(19);
    expect(waits.at(-1)).toSatisfy((ms: number) => ms > 170_000 && ms <= 180_000);
    expect(await guess('zoe', 'home', 5)).toEqual([0, 0, 0, 0, 0]);
    expect(await guesses.take('another subject', 'place 29')).toBe(0);
  });
});
