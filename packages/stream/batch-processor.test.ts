import type { JsMsg } from '@nats-io/jetstream';
import { expect, test } from 'vitest';
import { BatchProcessor } from './batch-processor.ts';
import type { DeadLetters } from './dead-letters.ts';
import { Delivery } from './delivery.ts';
import type { ConsumerEvent, Handler } from './handler.ts';

const settings = { maxDeliveries: 3, backoffMs: [100, 200], holdMs: 0 };

/** A delivery without a server, which records its answers. */
function delivery(sequence: number, deliveries: number, answers: string[]): Delivery {
  const answer = (word: string) => (detail?: number) =>
    void answers.push([sequence, word, detail || ''].join(' ').trim());
  const message: Partial<JsMsg> = {
    info: { streamSequence: sequence, deliveryCount: deliveries } as JsMsg['info'],
    subject: 'x.visits.0',
    data: new Uint8Array(),
    headers: undefined,
    ack: answer('ack'),
    nak: answer('nak'),
    term: () => answer('term')(),
  };
  return new Delivery(message as JsMsg);
}

function processor(handler: Handler, add: DeadLetters['add'] = async () => {}, changes: Partial<typeof settings> = {}) {
  const events: ConsumerEvent[] = [];
  const letters = { add } as DeadLetters;
  const observe = (event: ConsumerEvent) => void events.push(event);
  return {
    events,
    processor: new BatchProcessor(handler, letters, { ...settings, ...changes }, observe, new AbortController().signal),
  };
}

test('a failing message is delayed longer each time, then its dead letter is written before it is terminated', async () => {
  const answers: string[] = [];
  const add = async () => void answers.push('letter');
  const context = processor(async () => Promise.reject(new Error('bad')), add);
  for (const deliveries of [1, 2, 3]) await context.processor.handle([delivery(7, deliveries, answers)]);
  expect(answers).toEqual(['7 nak 100', '7 nak 200', 'letter', '7 term']);
});

test('a message is redelivered if its dead letter cannot be written', async () => {
  const answers: string[] = [];
  const add = async () => Promise.reject(new Error('no disk'));
  const context = processor(async ([message]) => message?.reject('bad'), add);
  await context.processor.handle([delivery(7, 1, answers)]);
  expect(answers).toEqual(['7 nak 5000']);
  expect(context.events.map((event) => event.kind)).toEqual(['dead-letter-failed']);
});

test('finds one bad message among many in few calls', async () => {
  const answers: string[] = [];
  let calls = 0;
  const context = processor(async (batch) => {
    calls += 1;
    if (batch.some((message) => message.sequence === 37)) throw new Error('bad');
  });
  await context.processor.handle(Array.from({ length: 64 }, (_, index) => delivery(index, 1, answers)));
  expect(calls).toBe(13);
  expect(answers.filter((answer) => answer.endsWith('ack'))).toHaveLength(63);
  expect(answers).toContain('37 nak 100');
});

test('holds a batch whose messages all fail in the same way until the fault is gone, without dead letters', async () => {
  const answers: string[] = [];
  const fixedAt = performance.now() + 500;
  const context = processor(
    async ([first]) => {
      if (performance.now() < fixedAt) throw Object.assign(new Error(`not ${first?.sequence}`), { code: 'X' });
    },
    async () => Promise.reject(new Error('no letter is due')),
    { holdMs: 60_000 },
  );
  await context.processor.handle(Array.from({ length: 20 }, (_, index) => delivery(index, 3, answers)));
  expect(answers.sort()).toEqual(Array.from({ length: 20 }, (_, index) => `${index} ack`).sort());
  expect(context.events).toEqual([{ kind: 'waiting', messages: 20, reason: 'all fail alike: Error X' }]);
});

test('a persistent fault counts as the messages’ own after holdMs', async () => {
  const answers: string[] = [];
  const context = processor(
    async () => Promise.reject(new Error('for ever')),
    async () => {},
    { holdMs: 10 },
  );
  await context.processor.handle([delivery(1, 3, answers), delivery(2, 1, answers)]);
  expect(answers).toEqual(['1 term', '2 nak 100']);
});

test('a batch is not held if one of its messages succeeds', async () => {
  const answers: string[] = [];
  const context = processor(
    async (batch) => {
      if (batch.some(({ sequence }) => sequence !== 8)) throw new Error('bad');
    },
    async () => {},
    { holdMs: 60_000 },
  );
  await context.processor.handle(Array.from({ length: 16 }, (_, index) => delivery(index, 1, answers)));
  expect(answers.filter((answer) => answer.endsWith('nak 100'))).toHaveLength(15);
  expect(answers).toContain('8 ack');
});

test('messages whose workers crashed are handled alone, after the others, in random order', async () => {
  const firsts = new Set<number>();
  for (let round = 0; round < 60; round += 1) {
    const order: number[][] = [];
    const context = processor(async (batch) => void order.push(batch.map((message) => message.sequence)));
    await context.processor.handle([delivery(1, 4, []), delivery(2, 4, []), delivery(3, 1, []), delivery(4, 3, [])]);
    expect(order[0]).toEqual([3, 4]);
    expect(order.slice(1).flat().sort()).toEqual([1, 2]);
    firsts.add(order[1]?.[0] ?? 0);
  }
  expect(firsts).toEqual(new Set([1, 2]));
});

test('a message whose workers keep crashing becomes a dead letter without another try', async () => {
  const answers: string[] = [];
  const seen: number[] = [];
  const context = processor(async (batch) => void seen.push(...batch.map((message) => message.sequence)));
  await context.processor.handle([delivery(1, 12, answers), delivery(2, 13, answers)]);
  expect(seen).toEqual([1]);
  expect(answers).toEqual(['1 ack', '2 term']);
});
