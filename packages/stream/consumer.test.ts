import { setTimeout as sleep } from 'node:timers/promises';
import { eventually, openFlakyProxy, openPrivateStream, type PrivateStream } from '@tributary/testkit/stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { RetryLater } from './errors.ts';
import type { ConsumerEvent, StreamMessage } from './handler.ts';

const options = { name: 'ingestion', pullMs: 1_000 };
const { name } = options;
let own: PrivateStream;
beforeEach(async () => {
  own = await openPrivateStream();
});
afterEach(() => own.destroy());

const publish = (...ids: string[]) =>
  own.stream.publish(ids.map((id) => ({ id, key: id, payload: Buffer.from(`<${id}>`), headers: { Kind: 'visit' } })));
const numbered = (count: number) => Array.from({ length: count }, (_, index) => `m${index}`);
const idsOf = (batch: readonly StreamMessage[]) => batch.map((message) => message.id);
const allConsumed = async () => (await own.stream.waiting(name)) === 0;

test('passes the published message to the handler and acknowledges it after the handler resolved', async () => {
  const [receipt] = await publish('one');
  const seen: StreamMessage[] = [];
  const release = Promise.withResolvers<void>();
  await own.stream.consume({
    ...options,
    handler: async (batch) => {
      seen.push(...batch);
      await release.promise;
    },
  });
  await eventually(() => seen.length === 1);
  expect(Number(await own.stream.consumedThrough(name))).toBe(0);
  expect(seen[0]).toMatchObject({ id: 'one', sequence: receipt?.sequence, deliveries: 1, headers: { Kind: 'visit' } });
  expect(Buffer.from(seen[0]?.payload ?? []).toString()).toBe('<one>');
  expect(seen[0]?.partition).toBeLessThan(16);
  release.resolve();
  await eventually(allConsumed);
});

test('limits batches to maxMessages, and passes an incomplete batch after maxWaitMs', async () => {
  await publish(...numbered(25));
  const sizes: number[] = [];
  await own.stream.consume({
    ...options,
    maxMessages: 10,
    maxWaitMs: 50,
    handler: async (batch) => void sizes.push(batch.length),
  });
  await eventually(allConsumed);
  expect(sizes.reduce((sum, size) => sum + size)).toBe(25);
  expect(Math.max(...sizes)).toBe(10);
});

test('a batch waits up to maxWaitMs for more messages, and is handled at once when it is full', async () => {
  const batches: string[][] = [];
  const handler = async (batch: readonly StreamMessage[]) => void batches.push(idsOf(batch));
  await own.stream.consume({ ...options, maxMessages: 2, maxWaitMs: 20_000, handler });
  await publish('first');
  await sleep(200);
  expect(batches).toEqual([]);
  await publish('second');
  await eventually(() => batches.length > 0, 10_000);
  expect(batches).toEqual([['first', 'second']]);
});

test('workers with one name share the messages; another name receives all of them', async () => {
  await publish(...numbered(200));
  const seen: Record<string, string[]> = { left: [], right: [], other: [] };
  const worker = async (who: string, consumer: string) => {
    const stream = await own.another();
    const handler = async (batch: readonly StreamMessage[]) => {
      seen[who]?.push(...idsOf(batch));
      await sleep(20);
    };
    await stream.consume({ ...options, name: consumer, maxMessages: 10, maxWaitMs: 10, handler });
  };
  await Promise.all([worker('left', name), worker('right', name), worker('other', 'other')]);
  await eventually(() => seen.other?.length === 200);
  await eventually(allConsumed);
  expect(seen.left?.length).toBeGreaterThan(0);
  expect(seen.right?.length).toBeGreaterThan(0);
  expect(new Set([...(seen.left ?? []), ...(seen.right ?? [])]).size).toBe(200);
});

test('a worker with other settings starts beside a running one, and its settings apply', async () => {
  const idle = await own.another();
  await idle.consume({ ...options, maxUnacknowledged: 1, handler: async () => {} });
  const sizes: number[] = [];
  const handler = async (batch: readonly StreamMessage[]) => void sizes.push(batch.length);
  await own.stream.consume({ ...options, maxUnacknowledged: 100, maxWaitMs: 500, handler });
  await idle.close();
  await publish(...numbered(20));
  await eventually(allConsumed);
  // With the first worker's settings the server would deliver one message at a time.
  expect(Math.max(...sizes)).toBeGreaterThan(1);
});

test('does not redeliver a message while its handler runs longer than ackWaitMs', async () => {
  await publish(...numbered(20));
  const seen: string[] = [];
  await own.stream.consume({
    ...options,
    // Long enough for a process with little CPU time to extend the ack timeout.
    ackWaitMs: 2_000,
    maxMessages: 10,
    handler: async (batch) => {
      seen.push(...idsOf(batch));
      // The next ten messages wait in the inbox meanwhile, and their timeout must be extended too.
      await sleep(2_500);
    },
  });
  await eventually(allConsumed);
  expect(seen.sort()).toEqual(numbered(20).sort());
});

test('one bad message fails alone, is redelivered, and becomes a dead letter at its last delivery', async () => {
  await publish(...numbered(16));
  const handled: string[] = [];
  const badSeen: number[] = [];
  const events: ConsumerEvent[] = [];
  await own.stream.consume({
    ...options,
    maxDeliveries: 3,
    backoffMs: [50, 100],
    observe: (event) => events.push(event),
    handler: async (batch) => {
      const bad = batch.find((message) => message.id === 'm5');
      if (bad) {
        if (batch.length === 1) badSeen.push(bad.deliveries);
        throw new TypeError('m5 breaks\nthe parser');
      }
      handled.push(...idsOf(batch));
    },
  });
  await eventually(allConsumed);
  expect(new Set(handled)).toEqual(new Set(numbered(16).filter((id) => id !== 'm5')));
  expect(handled).toHaveLength(15);
  expect(badSeen).toEqual([1, 2, 3]);
  const { letters } = await own.stream.deadLetters.list();
  expect(letters).toHaveLength(1);
  expect(letters[0]).toMatchObject({
    id: 'm5',
    deliveries: 3,
    reason: 'given up after 3 deliveries: TypeError: m5 breaks the parser',
    headers: { Kind: 'visit' },
  });
  expect(events.map((event) => event.kind)).toEqual(['retried', 'retried', 'dead-lettered']);
});

test('a handler can reject one message and delay another', async () => {
  await publish('good', 'hopeless', 'early');
  const acknowledged: string[] = [];
  await own.stream.consume({
    ...options,
    handler: async (batch) => {
      for (const message of batch) {
        if (message.id === 'hopeless') message.reject('not a visit');
        else if (message.id === 'early' && message.deliveries < 2) message.retry(50, 'too early');
        else acknowledged.push(message.id);
      }
    },
  });
  await eventually(allConsumed);
  expect(acknowledged.sort()).toEqual(['early', 'good']);
  const { letters } = await own.stream.deadLetters.list();
  expect(letters.map(({ id, reason, deliveries }) => [id, reason, deliveries])).toEqual([
    ['hopeless', 'not a visit', 1],
  ]);
});

test('keeps a rejection even if the handler throws afterwards', async () => {
  await publish('hopeless', 'good');
  let threw = false;
  const seen: string[] = [];
  await own.stream.consume({
    ...options,
    handler: async (batch) => {
      for (const message of batch) {
        if (message.id === 'hopeless') message.reject('not a visit');
        else seen.push(message.id);
      }
      if (!threw) {
        threw = true;
        throw new Error('once');
      }
    },
    backoffMs: [20],
  });
  await eventually(allConsumed);
  expect(await own.stream.deadLetters.count()).toBe(1);
  expect(seen.length).toBeGreaterThan(1);
});

test('an outage reported with RetryLater counts no delivery, however long it lasts', async () => {
  await publish('patient');
  const deliveries: number[] = [];
  await own.stream.consume({
    ...options,
    maxDeliveries: 2,
    ackWaitMs: 500,
    handler: async (batch) => {
      deliveries.push(...batch.map((message) => message.deliveries));
      if (deliveries.length < 6) throw new RetryLater('ClickHouse is away', { delayMs: 200 });
    },
  });
  await eventually(allConsumed);
  expect(deliveries).toEqual([1, 1, 1, 1, 1, 1]);
  expect(await own.stream.deadLetters.count()).toBe(0);
});

test('a message whose workers crash is handled alone, then becomes a dead letter', async () => {
  await publish('deadly', 'innocent');
  const batches: string[][] = [];
  const settings = { ...options, maxDeliveries: 1, ackWaitMs: 1_000 };
  for (let death = 1; death <= 4; death += 1) {
    const line = await openFlakyProxy();
    const worker = await own.another({ url: line.url });
    const died = Promise.withResolvers<void>();
    const handler = async (batch: readonly StreamMessage[]) => {
      if (!idsOf(batch).includes('deadly')) return;
      batches.push(idsOf(batch));
      line.cut();
      died.resolve();
    };
    await worker.consume({ ...settings, handler });
    await died.promise;
    await worker.close();
    await line.close();
  }
  await own.stream.consume({ ...settings, handler: async (batch) => void batches.push(idsOf(batch)) });
  await eventually(allConsumed);
  const { letters } = await own.stream.deadLetters.list();
  expect(letters.map(({ id, reason }) => [id, reason])).toContainEqual([
    'deadly',
    'no worker got through with it in 4 deliveries',
  ]);
  expect(batches).toEqual([['deadly', 'innocent'], ['deadly'], ['deadly'], ['deadly']]);
});

test('a stop lets the running handler finish and returns the remaining messages at once', async () => {
  await publish(...numbered(30));
  const handled: string[] = [];
  const started = Promise.withResolvers<void>();
  const consumer = await own.stream.consume({
    ...options,
    maxMessages: 10,
    handler: async (batch) => {
      started.resolve();
      await sleep(300);
      handled.push(...idsOf(batch));
    },
  });
  await started.promise;
  await consumer.stop();
  expect(handled).toHaveLength(10);
  const rest: string[] = [];
  await own.stream.consume({ ...options, handler: async (batch) => void rest.push(...idsOf(batch)) });
  // Far sooner than the 30 seconds of the ack timeout.
  await eventually(allConsumed, 5_000);
  expect(new Set([...handled, ...rest]).size).toBe(30);
  expect(rest).toHaveLength(20);
});

test('a stop does not wait for an outage to end', async () => {
  await publish('held');
  const waiting = Promise.withResolvers<void>();
  const consumer = await own.stream.consume({
    ...options,
    observe: (event) => event.kind === 'waiting' && waiting.resolve(),
    handler: async () => {
      throw new RetryLater('away for an hour', { delayMs: 3_600_000 });
    },
  });
  await waiting.promise;
  await consumer.stop();
  const seen: string[] = [];
  await own.stream.consume({ ...options, handler: async (batch) => void seen.push(...idsOf(batch)) });
  await eventually(allConsumed, 5_000);
  expect(seen).toEqual(['held']);
});

test('a consumer resumes after a lost connection, and stops without a connection', async () => {
  const line = await openFlakyProxy();
  const stream = await own.another({ url: line.url });
  const seen: string[] = [];
  const consumer = await stream.consume({
    ...options,
    ackWaitMs: 1_000,
    handler: async (batch) => void seen.push(...idsOf(batch)),
  });
  await publish('before');
  await eventually(() => seen.includes('before'));
  line.cut();
  await publish('during');
  await sleep(200);
  line.mend();
  await eventually(() => seen.includes('during'));
  line.cut();
  await eventually(() => !stream.isUp);
  await consumer.stop();
  expect(seen).toEqual(['before', 'during']);
  await stream.close();
  await line.close();
});

test('consumedThrough is 0 for a consumer that never ran, and the end of the stream for an idle one', async () => {
  await publish('one', 'two');
  expect(Number(await own.stream.consumedThrough('never-ran'))).toBe(0);
  await own.stream.consume({ ...options, handler: async () => {} });
  await eventually(async () => Number(await own.stream.consumedThrough(name)) === 2);
});

test('waitingSince returns the time of the oldest unhandled visit, and undefined when all are handled', async () => {
  expect(await own.stream.waitingSince(name)).toBeUndefined();
  const before = Date.now();
  await publish('one');
  const between = Date.now();
  await sleep(50);
  await publish('two');
  const since = await own.stream.waitingSince(name);
  // The server's clock is this machine's, but it may round.
  expect(since?.getTime()).toBeGreaterThanOrEqual(before - 5);
  expect(since?.getTime()).toBeLessThanOrEqual(between + 5);
  await own.stream.consume({ ...options, handler: async () => {} });
  await eventually(allConsumed);
  expect(await own.stream.waitingSince(name)).toBeUndefined();
});

test('messages that expired unread do not hold back an idle consumer', async () => {
  const shortlived = await openPrivateStream({ retentionMs: 200 });
  await shortlived.stream.consume({ ...options, handler: async () => {} });
  const consumer = await shortlived.stream.consume({ ...options, name: 'late', handler: async () => {} });
  await consumer.stop();
  await shortlived.stream.publish([{ id: 'fleeting', key: 'fleeting', payload: new Uint8Array(1) }]);
  expect(Number(await shortlived.stream.consumedThrough('late'))).toBe(0);
  await eventually(async () => Number(await shortlived.stream.consumedThrough('late')) === 1);
  await shortlived.destroy();
});
