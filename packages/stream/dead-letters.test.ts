import { FakeClock } from '@tributary/clock';
import { eventually, openPrivateStream, type PrivateStream } from '@tributary/testkit/stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DeadLetterMissing } from './errors.ts';
import type { Handler } from './handler.ts';

const options = { name: 'ingestion', pullMs: 1_000 };
const clock = new FakeClock('2026-03-01T12:00:00Z');
let own: PrivateStream;
beforeEach(async () => {
  own = await openPrivateStream({ clock });
});
afterEach(() => own.destroy());

const rejectAll =
  (reason: string): Handler =>
  async (batch) => {
    for (const message of batch) message.reject(reason);
  };

/** Publishes this many messages and turns all of them into dead letters. */
async function deadLetter(count: number): Promise<void> {
  const ids = Array.from({ length: count }, (_, index) => `dead-${index}`);
  await own.stream.publish(
    ids.map((id) => ({ id, key: id, payload: Buffer.from(`<${id}>`), headers: { Kind: 'visit' } })),
  );
  const consumer = await own.stream.consume({
    ...options,
    maxMessages: 1,
    handler: async ([message]) => message?.reject(`cannot read\r\n ${message.id}`),
  });
  await eventually(async () => (await own.stream.deadLetters.count()) === count);
  await consumer.stop();
}

test('a dead letter contains the message, its time, its origin and the reason', async () => {
  await deadLetter(1);
  const { letters, next } = await own.stream.deadLetters.list();
  expect(next).toBeUndefined();
  expect(letters).toHaveLength(1);
  expect(letters[0]).toMatchObject({
    sequence: 1,
    id: 'dead-0',
    reason: 'cannot read dead-0',
    deadLetteredAt: clock.now(),
    deliveries: 1,
    originalSequence: 1,
    headers: { Kind: 'visit' },
  });
  expect(letters[0]?.subject).toMatch(new RegExp(`^${own.prefix}\\.visits\\.\\d+$`));
  expect(Buffer.from(letters[0]?.payload ?? []).toString()).toBe('<dead-0>');
  expect(await own.stream.deadLetters.count()).toBe(1);
});

test('replayDue replays failed messages with growing delays, and never rejected ones', async () => {
  await deadLetter(1);
  await own.stream.publish([{ id: 'failing', key: 'x', payload: Buffer.from('x') }]);
  const failing = await own.stream.consume({
    ...options,
    maxDeliveries: 1,
    handler: async () => Promise.reject(new Error('a fault that passes')),
  });
  const letters = async () => (await own.stream.deadLetters.list()).letters;
  await eventually(async () => (await letters()).length === 2);
  expect((await letters()).map(({ id, cause, replays }) => [id, cause, replays])).toEqual([
    ['dead-0', 'rejected', 0],
    ['failing', 'failed', 0],
  ]);
  const replayed: number[] = [];
  for (const minutes of [9, 1, 10, 50, 360, 1_440, 4_320, 100_000]) {
    clock.advance(minutes * 60_000);
    const back = await own.stream.deadLetters.replayDue();
    replayed.push(back);
    // It fails again, and its letter counts one more replay.
    await eventually(async () => (await letters()).length === 2);
  }
  expect(replayed).toEqual([0, 1, 0, 1, 1, 1, 1, 0]);
  expect((await letters()).map(({ id, replays }) => [id, replays])).toEqual([
    ['dead-0', 0],
    ['failing', 5],
  ]);
  await failing.stop();
});

test('pages have no gaps or repeats, also where letters were removed', async () => {
  await deadLetter(7);
  await own.stream.deadLetters.remove(2);
  await own.stream.deadLetters.remove(3);
  const pages: number[][] = [];
  let after: number | undefined = 0;
  while (after !== undefined) {
    const page = await own.stream.deadLetters.list({ after, limit: 2 });
    pages.push(page.letters.map((letter) => letter.sequence));
    after = page.next;
  }
  expect(pages).toEqual([[1, 4], [5, 6], [7]]);
  expect(await own.stream.deadLetters.count()).toBe(5);
});

test('a replay publishes the unchanged message, even within the duplicate window, and deletes its letter', async () => {
  await deadLetter(2);
  const sequence = await own.stream.deadLetters.replay(1);
  expect(sequence).toBe(3);
  expect((await own.stream.deadLetters.list()).letters.map((letter) => letter.id)).toEqual(['dead-1']);
  const seen: unknown[] = [];
  await own.stream.consume({
    ...options,
    handler: async (batch) => {
      for (const { id, sequence: position, deliveries, headers, payload } of batch) {
        seen.push([id, position, deliveries, headers, Buffer.from(payload).toString()]);
      }
    },
  });
  await eventually(() => seen.length === 1);
  expect(seen).toEqual([['dead-0', 3, 1, { Kind: 'visit' }, '<dead-0>']]);
});

test('replace changes the payload of a letter, keeps its history, and deletes the old letter', async () => {
  await deadLetter(2);
  const [before] = (await own.stream.deadLetters.list()).letters;
  await own.stream.deadLetters.replace(1, Buffer.from('<less>'));
  const { letters } = await own.stream.deadLetters.list();
  expect(letters.map(({ sequence }) => sequence)).toEqual([2, 3]);
  expect(letters[1]).toEqual({ ...before, sequence: 3, payload: letters[1]?.payload });
  expect(Buffer.from(letters[1]?.payload ?? []).toString()).toBe('<less>');
  await expect(own.stream.deadLetters.get(1)).rejects.toBeInstanceOf(DeadLetterMissing);
});

test('replayAll ends although the replayed messages fail again', async () => {
  await deadLetter(20);
  await own.stream.consume({ ...options, maxMessages: 1, handler: rejectAll('still bad') });
  const counts: number[] = [];
  expect(await own.stream.deadLetters.replayAll((replayed) => counts.push(replayed))).toBe(20);
  expect(counts).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  await eventually(async () => (await own.stream.deadLetters.count()) === 20);
  const { letters } = await own.stream.deadLetters.list();
  expect(letters.map((letter) => letter.reason)).toEqual(new Array(20).fill('still bad'));
  expect(new Set(letters.map((letter) => letter.id)).size).toBe(20);
});

test('get and replay of a missing letter throw DeadLetterMissing', async () => {
  await expect(own.stream.deadLetters.get(99)).rejects.toThrow(DeadLetterMissing);
  await expect(own.stream.deadLetters.replay(99)).rejects.toThrow('no dead letter 99');
});

test('a message of the maximum size can become a dead letter and be replayed', async () => {
  const large = { id: 'l'.repeat(200), key: 'large', headers: { Note: 'x'.repeat(50) } };
  const payload = new Uint8Array(900 * 1024 - 400 - 200 - 'Note,'.length - 50 - 4);
  await expect(own.stream.publish([{ ...large, payload: new Uint8Array(payload.length + 1) }])).rejects.toThrow(
    'bytes',
  );
  await own.stream.publish([{ ...large, payload }]);
  await own.stream.consume({
    ...options,
    handler: rejectAll('é'.repeat(5_000)),
  });
  await eventually(async () => (await own.stream.deadLetters.count()) === 1);
  const letter = await own.stream.deadLetters.get(1);
  expect(letter.payload).toHaveLength(payload.length);
  expect(letter.reason).toHaveLength(1_003);
  expect(await own.stream.deadLetters.replay(1)).toBe(2);
});
