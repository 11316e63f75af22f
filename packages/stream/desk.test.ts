import type { JsMsg } from '@nats-io/jetstream';
import { expect, test } from 'vitest';
import type { DeadLetters } from './dead-letters.ts';
import { Delivery } from './delivery.ts';
import { Desk } from './desk.ts';
import type { ConsumerEvent, Handler } from './handler.ts';

const settings = { maxDeliveries: 3, backoffMs: [100, 200], holdMs: 0 };

/** A delivery as the server would make it, that writes down the answers it gets. */
function delivered(sequence: number, deliveries: number, answers: string[]): Delivery {
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

function desk(handler: Handler, add: DeadLetters['add'] = async () => {}, changes: Partial<typeof settings> = {}) {
  const events: ConsumerEvent[] = [];
  const letters = { add } as DeadLetters;
  const observe = (event: ConsumerEvent) => void events.push(event);
  return {
    events,
    desk: new Desk(handler, letters, { ...settings, ...changes }, observe, new AbortController().signal),
  };
}

test('a failing message waits longer each time, then gets its letter before its farewell', async () => {
  const answers: string[] = [];
  const add = async () => void answers.push('letter');
  const made = desk(async () => Promise.reject(new Error('bad')), add);
  for (const deliveries of [1, 2, 3]) await made.desk.handle([delivered(7, deliveries, answers)]);
  expect(answers).toEqual(['7 nak 100', '7 nak 200', 'letter', '7 term']);
});

test('a message stays when its letter cannot be written', async () => {
  const answers: string[] = [];
  const add = async () => Promise.reject(new Error('no disk'));
  const made = desk(async ([message]) => message?.reject('bad'), add);
  await made.desk.handle([delivered(7, 1, answers)]);
  expect(answers).toEqual(['7 nak 5000']);
  expect(made.events.map((event) => event.kind)).toEqual(['dead-letter-failed']);
});

test('finding one bad message among many takes few calls', async () => {
  const answers: string[] = [];
  let calls = 0;
  const made = desk(async (batch) => {
    calls += 1;
    if (batch.some((message) => message.sequence === 37)) throw new Error('bad');
  });
  await made.desk.handle(Array.from({ length: 64 }, (_, index) => delivered(index, 1, answers)));
  expect(calls).toBe(13);
  expect(answers.filter((answer) => answer.endsWith('ack'))).toHaveLength(63);
  expect(answers).toContain('37 nak 100');
});

test('a batch of which every message fails alike is held until the fault is gone, and none dies of it', async () => {
  const answers: string[] = [];
  const mendedAt = performance.now() + 500;
  const made = desk(
    async ([first]) => {
      if (performance.now() < mendedAt) throw Object.assign(new Error(`not ${first?.sequence}`), { code: 'X' });
    },
    async () => Promise.reject(new Error('no letter is due')),
    { holdMs: 60_000 },
  );
  await made.desk.handle(Array.from({ length: 20 }, (_, index) => delivered(index, 3, answers)));
  expect(answers.sort()).toEqual(Array.from({ length: 20 }, (_, index) => `${index} ack`).sort());
  expect(made.events).toEqual([{ kind: 'waiting', messages: 20, reason: 'all fail alike: Error X' }]);
});

test('a fault that does not go is the messages’ own after a while', async () => {
  const answers: string[] = [];
  const made = desk(
    async () => Promise.reject(new Error('for ever')),
    async () => {},
    { holdMs: 10 },
  );
  await made.desk.handle([delivered(1, 3, answers), delivered(2, 1, answers)]);
  expect(answers).toEqual(['1 term', '2 nak 100']);
});

test('one message that goes through shows that the others are at fault themselves', async () => {
  const answers: string[] = [];
  const made = desk(
    async (batch) => {
      if (batch.some(({ sequence }) => sequence !== 8)) throw new Error('bad');
    },
    async () => {},
    { holdMs: 60_000 },
  );
  await made.desk.handle(Array.from({ length: 16 }, (_, index) => delivered(index, 1, answers)));
  expect(answers.filter((answer) => answer.endsWith('nak 100'))).toHaveLength(15);
  expect(answers).toContain('8 ack');
});

test('suspects are handled alone, after the others, and take turns', async () => {
  const firsts = new Set<number>();
  for (let round = 0; round < 60; round += 1) {
    const order: number[][] = [];
    const made = desk(async (batch) => void order.push(batch.map((message) => message.sequence)));
    await made.desk.handle([delivered(1, 4, []), delivered(2, 4, []), delivered(3, 1, []), delivered(4, 3, [])]);
    expect(order[0]).toEqual([3, 4]);
    expect(order.slice(1).flat().sort()).toEqual([1, 2]);
    firsts.add(order[1]?.[0] ?? 0);
  }
  expect(firsts).toEqual(new Set([1, 2]));
});

test('a message no worker survives is buried unseen', async () => {
  const answers: string[] = [];
  const seen: number[] = [];
  const made = desk(async (batch) => void seen.push(...batch.map((message) => message.sequence)));
  await made.desk.handle([delivered(1, 12, answers), delivered(2, 13, answers)]);
  expect(seen).toEqual([1]);
  expect(answers).toEqual(['1 ack', '2 term']);
});
