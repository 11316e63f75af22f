import { randomBytes } from 'node:crypto';
import { eventually, openPrivateStream, type PrivateStream } from '@tributary/testkit/stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { MessageRefused, PublishFailed } from './errors.ts';
import type { StreamMessage } from './handler.ts';

const maxBytes = 1 << 20;
let own: PrivateStream;
beforeEach(async () => {
  own = await openPrivateStream({ workMaxBytes: { webhooks: maxBytes, 'unverified-webhooks': maxBytes } });
  await own.stream.ensureWorkStreams();
});
afterEach(() => own.destroy());

const publish = (id: string, bytes = 10, stream = own.stream.webhooks) =>
  stream.publish({ id, payload: randomBytes(bytes), headers: { Channel: 'store' } }, { deadlineMs: 500 });
const options = { pullMs: 1_000, maxWaitMs: 5, backoffMs: [10] };

test('a message is deleted once it was handled, and only one consumer receives it', async () => {
  await publish('one');
  await publish('two');
  expect([await own.stream.webhooks.waiting(), await own.stream.unverifiedWebhooks.waiting()]).toEqual([2, 0]);
  const seen: string[] = [];
  const handler = async (batch: readonly StreamMessage[]) => void seen.push(...batch.map(({ id }) => id));
  await own.stream.webhooks.consume({ ...options, handler });
  const another = await own.another();
  await another.webhooks.consume({ ...options, handler });
  await eventually(async () => (await own.stream.webhooks.waiting()) === 0);
  expect(seen.sort()).toEqual(['one', 'two']);
  expect((await own.stream.webhooks.fill()).bytes).toBe(0);
});

test('a full stream refuses messages, loses none, and does not affect the other stream', async () => {
  let accepted = 0;
  const failed = await (async () => {
    for (; accepted < 20; accepted += 1) await publish(`m${accepted}`, 100_000);
  })().catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(PublishFailed);
  expect([accepted, await own.stream.webhooks.waiting()]).toEqual([10, 10]);
  expect((await own.stream.webhooks.fill()).share).toBeGreaterThan(0.9);
  await publish('other', 100_000, own.stream.unverifiedWebhooks);
  const handler = async () => {};
  await own.stream.webhooks.consume({ ...options, handler });
  await eventually(async () => (await own.stream.webhooks.waiting()) === 0);
  await publish('again', 100_000);
});

test('a message larger than the stream or the server accepts is refused before it is sent', async () => {
  await expect(publish('large', 3 << 20)).rejects.toThrow(MessageRefused);
  expect(own.stream.webhooks.maxMessageBytes).toBe(2_200 * 1024);
  const large = await own.another({ maxWorkMessageBytes: 100 << 20 });
  // The test server accepts 4 MB, and a dead letter needs more space than its message.
  expect(large.webhooks.maxMessageBytes).toBeLessThan(4 << 20);
});

test('a rejected message becomes a dead letter, and a replay returns it to its stream', async () => {
  await publish('bad', 10, own.stream.unverifiedWebhooks);
  const { deadLetters, unverifiedWebhooks } = own.stream;
  const seen: StreamMessage[] = [];
  const consumer = await unverifiedWebhooks.consume({
    ...options,
    handler: async ([message]) => {
      seen.push(message as StreamMessage);
      message?.reject('unreadable');
    },
  });
  await eventually(async () => (await deadLetters.count()) === 1);
  await consumer.stop();
  const { letters } = await deadLetters.list();
  expect(letters.map((letter) => [letter.reason, deadLetters.workStreamOf(letter)])).toEqual([
    ['unreadable', 'unverified-webhooks'],
  ]);
  expect(await unverifiedWebhooks.waiting()).toBe(0);
  await deadLetters.replayAll();
  expect([await deadLetters.count(), await unverifiedWebhooks.waiting()]).toEqual([0, 1]);
  await unverifiedWebhooks.consume({ ...options, handler: async (batch) => void seen.push(...batch) });
  await eventually(async () => (await unverifiedWebhooks.waiting()) === 0);
  expect(seen.map(({ id, headers }) => [id, headers.Channel])).toEqual([
    ['bad', 'store'],
    ['bad', 'store'],
  ]);
});

test('a backup contains the unhandled messages and restores them with their ids', async () => {
  await publish('verified');
  await publish('unverified', 10, own.stream.unverifiedWebhooks);
  const copied = await Array.fromAsync(own.stream.readWork());
  expect(copied.map(({ stream, id, headers }) => [stream, id, headers.Channel])).toEqual([
    ['webhooks', 'verified', 'store'],
    ['unverified-webhooks', 'unverified', 'store'],
  ]);
  const empty = await openPrivateStream();
  try {
    await empty.stream.ensureWorkStreams();
    await empty.stream.putBack(copied);
    expect(await Array.fromAsync(empty.stream.readWork())).toEqual(copied);
  } finally {
    await empty.destroy();
  }
});
