import { randomBytes } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { Supervisor } from './index.ts';

/** Redis and NATS are quick to start; the drills break the other two. */
const supervisor = new Supervisor(`test-${randomBytes(4).toString('hex')}`);
afterAll(() => supervisor.destroy());

test('an engine is started, killed, started again, paused, resumed and stopped by name', async () => {
  const first = await supervisor.start(['redis', 'nats']);
  expect(first.REDIS_URL).toMatch(/^redis:\/\/127\.0\.0\.1:\d+$/);
  expect((await supervisor.status('nats')).version).toMatch(/^2\.1\d\.\d+$/);

  await supervisor.kill('redis');
  expect((await supervisor.status('redis')).state).toBe('stopped');
  expect((await supervisor.status('nats')).state).toBe('running');

  expect(await supervisor.start(['redis'])).toEqual({ REDIS_URL: first.REDIS_URL });

  supervisor.pause('redis');
  expect((await supervisor.status('redis')).state).toBe('silent');
  supervisor.resume('redis');
  expect((await supervisor.status('redis')).state).toBe('running');

  await supervisor.stop('redis');
  expect((await supervisor.status('redis')).state).toBe('stopped');
});

test('its data and its port are private to the set', async () => {
  const other = new Supervisor(`test-${randomBytes(4).toString('hex')}`);
  try {
    const [here, there] = [await supervisor.start(['redis']), await other.start(['redis'])];
    expect(here.REDIS_URL).not.toBe(there.REDIS_URL);
  } finally {
    await other.destroy();
  }
});
