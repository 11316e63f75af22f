import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openPrivateStream, type PrivateStream, testUrl } from '@tributary/testkit/stream';
import { afterAll, beforeAll, expect, test } from 'vitest';

let log: PrivateStream;
beforeAll(async () => {
  log = await openPrivateStream();
});
afterAll(() => log.destroy());

const run = async (...args: string[]) => {
  const { stdout } = await promisify(execFile)(process.execPath, [join(import.meta.dirname, 'main.ts'), ...args], {
    // Vitest sets another BASE_URL.
    env: { ...process.env, BASE_URL: 'http://127.0.0.1', NATS_URL: testUrl, STREAM_PREFIX: log.prefix },
  });
  return JSON.parse(stdout);
};

test('visits replay-dead reports dead letters with their reasons, then requeues them', async () => {
  const { stream } = log;
  await stream.publish(['a', 'b', 'c'].map((id) => ({ id, key: id, payload: Buffer.from(id) })));
  const reader = await stream.consume({
    name: 'ingestion',
    pullMs: 1_000,
    handler: async (batch) => {
      for (const message of batch) message.reject('It is not a message of version 1.');
    },
  });
  await expect.poll(() => stream.deadLetters.count()).toBe(3);
  await reader.stop();
  expect(await run('visits', 'replay-dead', '--dry-run', '--json')).toEqual({
    total: 3,
    reasons: { 'rejected: It is not a message of version 1.': 3 },
  });
  expect(await run('visits', 'replay-dead', '--json')).toEqual({ total: 3, replayed: 3 });
  expect([await stream.deadLetters.count(), await stream.end()]).toEqual([0, '6']);
});
