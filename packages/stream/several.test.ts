import { eventually, openPrivateStream, type PrivateStream } from '@tributary/testkit/stream';
import { v7 as uuid } from 'uuid';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ServerUnsuitable } from './errors.ts';
import { isPassed } from './positions.ts';

const options = { name: 'ingestion', pullMs: 1_000 };
const maxBytes = 1_000_000;
let own: PrivateStream;
beforeEach(async () => {
  own = await openPrivateStream({ count: 3, maxBytes });
});
afterEach(() => own.destroy());

const publish = (place: number, ids: readonly string[], bytes = 10) =>
  own.stream.publish(ids.map((id) => ({ id, place, key: `profile:${id}`, payload: Buffer.alloc(bytes, id) })));
const counts = async () => [...(await own.texts())].map(([name, texts]) => `${name} ${texts.length}`).sort();

test('all processes assign a profile to the same stream, and profiles use all streams', async () => {
  const another = await own.another();
  const places = Array.from({ length: 100 }, () => uuid()).map((id) => [own.stream.placeOf(id), another.placeOf(id)]);
  for (const [here, there] of places) expect(here).toBe(there);
  expect(new Set(places.flat())).toEqual(new Set([0, 1, 2]));
});

test('messages go to the given stream, consumers read all streams, and an unknown stream is refused', async () => {
  await publish(0, ['a']);
  await publish(1, ['b', 'c']);
  await publish(2, ['d']);
  await expect(publish(3, ['e'])).rejects.toThrow('There is no stream 3');
  expect(await counts()).toEqual(['dead-letters 0', 'visits 1', 'visits-1 2', 'visits-2 1']);
  expect(await own.stream.waiting('ingestion')).toBe(4);
  const seen: string[] = [];
  await own.stream.consume({ ...options, handler: async (batch) => void seen.push(...batch.map(({ id }) => id)) });
  await eventually(async () => (await own.stream.waiting('ingestion')) === 0);
  expect(seen.sort()).toEqual(['a', 'b', 'c', 'd']);
});

test('a position is passed only when every stream has passed it', async () => {
  await publish(0, ['a']);
  await publish(1, ['held']);
  const place = await own.stream.end();
  const release = Promise.withResolvers<void>();
  await own.stream.consume({
    ...options,
    handler: async (batch) => void (batch.some(({ id }) => id === 'held') && (await release.promise)),
  });
  try {
    await publish(0, ['b', 'c', 'd']);
    await eventually(async () => (await own.stream.waiting('ingestion')) === 1);
    expect(isPassed(await own.stream.consumedThrough('ingestion'), place)).toBe(false);
    expect(await own.stream.waitingSince('ingestion')).toBeInstanceOf(Date);
  } finally {
    release.resolve();
  }
  await eventually(async () => isPassed(await own.stream.consumedThrough('ingestion'), place));
  expect(await own.stream.waitingSince('ingestion')).toBeUndefined();
});

test('a stream that did not exist yet counts as empty', () => {
  expect(isPassed('7,0', '7')).toBe(true);
  expect(isPassed('6,9', '7')).toBe(false);
  // Stored by a process that is configured with one stream more.
  expect(isPassed('9', '7,1')).toBe(false);
});

test('a full stream refuses messages and does not affect the others', async () => {
  const letters = Array.from({ length: 150 }, (_, n) => `m${n}`);
  await expect(publish(1, letters, 10_000)).rejects.toThrow();
  await publish(0, ['a'], 10_000);
  const { bytes, share } = await own.stream.fill();
  expect(share).toBeGreaterThan(0.9);
  expect(share).toBeLessThanOrEqual(1);
  expect(bytes).toBeGreaterThan(share * maxBytes);
  expect(await own.stream.trim(), 'no consumer has read').toBe(0);
  await own.stream.consume({ ...options, handler: async () => {} });
  await eventually(async () => (await own.stream.waiting('ingestion')) === 0);
  expect(await own.stream.trim()).toBeGreaterThan(40);
  expect((await own.stream.extent()).gone).toBeGreaterThan(40);
  await publish(1, ['again'], 10_000);
});

test('a dead letter is replayed to its own stream, or to the first if its stream no longer exists', async () => {
  await publish(2, ['a']);
  const reader = await own.stream.consume({ ...options, handler: async ([message]) => message?.reject('not now') });
  await eventually(async () => (await own.stream.deadLetters.count()) === 1);
  await reader.stop();
  await own.stream.deadLetters.replayAll();
  expect(await counts()).toEqual(['dead-letters 0', 'visits 0', 'visits-1 0', 'visits-2 2']);
  const again = await own.stream.consume({ ...options, handler: async ([message]) => message?.reject('never') });
  await eventually(async () => (await own.stream.deadLetters.count()) === 1);
  await again.stop();
  const fewer = await own.another({ count: 1 });
  await fewer.deadLetters.replayAll();
  expect(await counts()).toEqual(['dead-letters 0', 'visits 1', 'visits-1 0', 'visits-2 2']);
});

test('a backup can be restored into as many streams or fewer', async () => {
  await publish(0, ['a', 'handled']);
  await publish(2, ['b']);
  const copied = await Array.fromAsync(own.stream.readVisits('2,0,0'));
  expect(copied.map(({ id, place }) => [id, place])).toEqual([['b', 2]]);
  const all = await Array.fromAsync(own.stream.readVisits());
  expect(all.map(({ id }) => id)).toEqual(['a', 'handled', 'b']);
  for (const [count, expected] of [
    [3, ['visits 2', 'visits-1 0', 'visits-2 1']],
    [2, ['visits 3', 'visits-1 0']],
  ] as const) {
    const other = await openPrivateStream({ count });
    await other.stream.putBack(all);
    const found = [...(await other.texts())].map(([name, texts]) => `${name} ${texts.length}`).sort();
    expect(found).toEqual(['dead-letters 0', ...expected]);
    await other.destroy();
  }
});

test('streams can be added, and ensureStreams fails with fewer than exist', async () => {
  const fewer = await own.another({ count: 2 });
  await expect(fewer.ensureStreams()).rejects.toThrow(ServerUnsuitable);
  await expect(fewer.ensureStreams()).rejects.toThrow('-visits-2", and STREAM_COUNT is 2');
  const more = await own.another({ count: 4 });
  await more.ensureStreams();
  await more.publish([{ id: 'x', place: 3, key: 'x', payload: Buffer.from('x') }]);
  expect(await more.end()).toBe('0,0,0,1');
});
