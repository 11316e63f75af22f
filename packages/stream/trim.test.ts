import { eventually, openPrivateStream, type PrivateStream } from '@tributary/testkit/stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { PublishFailed } from './errors.ts';

const maxBytes = 1_000_000;
let own: PrivateStream;
beforeEach(async () => {
  own = await openPrivateStream({ maxBytes, deadLetterMaxBytes: maxBytes });
});
afterEach(() => own.destroy());

const publish = (from: number, count: number) =>
  own.stream.publish(
    Array.from({ length: count }, (_, n) => ({ id: `m${from + n}`, key: 'k', payload: Buffer.alloc(10_000) })),
  );
const trim = () => own.stream.trim({ above: 0.5, downTo: 0.2, keptMessages: 5 });
const read = async (name: string, through: number) => {
  const reader = await own.stream.consume({ name, handler: async () => {}, pullMs: 1_000 });
  await eventually(async () => Number(await own.stream.consumedThrough(name)) >= through);
  await reader.stop();
};

test('deletes handled messages from a full stream, which then accepts visits again', async () => {
  await publish(0, 90);
  expect((await own.stream.fill()).share).toBeGreaterThan(0.85);
  await read('ingestion', 90);
  // Full of handled visits: without a trim every further visit is refused.
  await expect(publish(90, 20)).rejects.toThrow(PublishFailed);
  expect(await trim()).toBeGreaterThan(50);
  const { share, bytes } = await own.stream.fill();
  expect(share).toBeLessThan(0.3);
  expect(bytes).toBe(share * maxBytes);
  await publish(200, 50);
  await read('ingestion', Number(await own.stream.end()));
  expect(Number(await own.stream.consumedThrough('ingestion'))).toBe(Number(await own.stream.end()));
});

test('keeps messages that a consumer has not handled, and the newest in any case', async () => {
  await publish(0, 90);
  expect(await trim(), 'no consumer').toBe(0);
  await read('ingestion', 90);
  const slow = await own.stream.consume({
    name: 'slow',
    maxMessages: 1,
    pullMs: 1_000,
    handler: async ([message]) => {
      if ((message?.sequence ?? 0) > 20) message?.retry(60_000, 'not now');
    },
  });
  await eventually(async () => Number(await own.stream.consumedThrough('slow')) >= 20);
  expect(await trim()).toBe(15);
  await slow.stop();
  expect(await trim()).toBe(0);
});

test('deletes nothing while less than half is used', async () => {
  await publish(0, 40);
  await read('ingestion', 40);
  expect(await trim()).toBe(0);
  expect(await own.stream.fill('dead-letters')).toEqual({ bytes: 0, share: 0 });
});
