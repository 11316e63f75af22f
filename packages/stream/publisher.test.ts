import { setTimeout as sleep } from 'node:timers/promises';
import { eventually, openFlakyProxy, openPrivateStream, type PrivateStream } from '@tributary/testkit/stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OutgoingMessage } from './address.ts';
import { MessageRefused, PublishFailed } from './errors.ts';

let own: PrivateStream;
beforeAll(async () => {
  own = await openPrivateStream();
});
afterAll(() => own.destroy());

const visit = (id: string, text = id): OutgoingMessage => ({ id, key: `profile:${id}`, payload: Buffer.from(text) });
const visits = (name: string, count: number) => Array.from({ length: count }, (_, index) => visit(`${name}-${index}`));

test('publish resolves to one receipt per message, each with its own sequence', async () => {
  const receipts = await own.stream.publish(visits('first', 50));
  expect(receipts.map((receipt) => receipt.id)).toEqual(visits('first', 50).map((message) => message.id));
  expect(new Set(receipts.map((receipt) => receipt.sequence)).size).toBe(50);
  expect(Math.max(...receipts.map((receipt) => receipt.sequence))).toBe(Number(await own.stream.end()));
});

test('stores two messages with the same id once', async () => {
  const [first] = await own.stream.publish([visit('twice')]);
  const [second] = await own.stream.publish([visit('twice')]);
  expect(second).toEqual({ id: 'twice', sequence: first?.sequence, duplicate: true });
});

test('at most maxInFlight messages are in flight', async () => {
  const narrow = await own.another({ maxInFlight: 3 });
  const publishing = narrow.publish(visits('narrow', 40));
  expect(narrow.load).toEqual({ inFlight: 3, waiting: 37 });
  await publishing;
  expect(narrow.load).toEqual({ inFlight: 0, waiting: 0 });
});

test('sends messages in flight again after a reconnect', async () => {
  const line = await openFlakyProxy();
  const stream = await own.another({ url: line.url });
  line.cut();
  await eventually(() => !stream.isUp);
  const publishing = stream.publish(visits('cut', 20));
  await sleep(300);
  expect(stream.load.inFlight).toBe(20);
  line.mend();
  expect(await publishing).toHaveLength(20);
  await stream.close();
  await line.close();
});

test('a lost acknowledgement is no success, and the retry stores no duplicate', async () => {
  const line = await openFlakyProxy();
  const stream = await own.another({ url: line.url });
  const before = Number(await own.stream.end());
  line.deafen();
  let done = false;
  const publishing = stream.publish(visits('deaf', 10)).finally(() => {
    done = true;
  });
  await eventually(async () => Number(await own.stream.end()) === before + 10);
  expect(done).toBe(false);
  line.mend();
  const receipts = await publishing;
  expect(receipts.every((receipt) => receipt.duplicate)).toBe(true);
  expect(Number(await own.stream.end())).toBe(before + 10);
  await stream.close();
  await line.close();
});

test('after the deadline PublishFailed lists the unacknowledged messages and the cause', async () => {
  const line = await openFlakyProxy();
  const stream = await own.another({ url: line.url });
  line.deafen();
  const failed = await stream.publish([visit('late-1'), visit('late-2')], { deadlineMs: 300 }).catch((error) => error);
  expect(failed).toBeInstanceOf(PublishFailed);
  expect(failed).toMatchObject({ acknowledged: [], unacknowledged: ['late-1', 'late-2'] });
  expect(failed.message).toContain('did not acknowledge 2 of 2 messages (timeout)');
  expect(stream.load).toEqual({ inFlight: 0, waiting: 0 });
  line.cut();
  await eventually(() => !stream.isUp);
  const away = stream.publish([visit('late-3')], { deadlineMs: 200 });
  await expect(away).rejects.toThrow(PublishFailed);
  await stream.close();
  await line.close();
});

test('publish fails at once after close', async () => {
  const stream = await own.another();
  await stream.close();
  const began = performance.now();
  await expect(stream.publish([visit('closed')])).rejects.toThrow(PublishFailed);
  // Far sooner than the deadline of ten seconds.
  expect(performance.now() - began).toBeLessThan(5_000);
});

test('a full stream refuses messages and keeps the unread ones', async () => {
  const small = await openPrivateStream({ maxBytes: 4_096, deadlineMs: 500 });
  const messages = visits('full', 100).map((message) => ({ ...message, payload: Buffer.alloc(200) }));
  const failed: PublishFailed = await small.stream.publish(messages).catch((error) => error);
  expect(failed).toBeInstanceOf(PublishFailed);
  expect(failed.acknowledged.length).toBeGreaterThan(0);
  expect(Number(await small.stream.end())).toBe(failed.acknowledged.length);
  await small.destroy();
});

test.each([
  ['too large', { ...visit('large'), payload: new Uint8Array(900 * 1024) }],
  ['without an id', visit('')],
  ['with a line break in its id', visit('a\nb')],
  ['with a forged header', { ...visit('forged'), headers: { Trace: 'a\r\nNats-Msg-Id: b' } }],
  ['with a reserved header', { ...visit('reserved'), headers: { 'Nats-Expected-Stream': 'x' } }],
])('a message %s is refused before any message of its batch is sent', async (_, message) => {
  const before = Number(await own.stream.end());
  await expect(own.stream.publish([visit('neighbour'), message])).rejects.toThrow(MessageRefused);
  expect(Number(await own.stream.end())).toBe(before);
});
