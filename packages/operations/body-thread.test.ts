import { setTimeout as sleep } from 'node:timers/promises';
import { limits } from '@tributary/vocabulary';
import { afterAll, describe, expect, test } from 'vitest';
import { BodyThread, readBody } from './body-thread.ts';
import { type BodyText, readBodyText } from './read-body-text.ts';

const thread = new BodyThread();
afterAll(() => thread.close());

const row = (index: number) => ({ event_name: `é${index}`, properties: { note: 'x'.repeat(500), nothing: null } });
const rows = (count: number) => Array.from({ length: count }, (_, index) => row(index));
const fieldsOf = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, index]));
const json = (value: unknown, list: string | undefined = 'events'): BodyText => ({
  bytes: Buffer.from(JSON.stringify(value)),
  format: 'json',
  list,
});
const csv: BodyText = { bytes: Buffer.from(`a,b\n${'1,2\n'.repeat(100_000)}`), format: 'csv', list: 'rows' };

/** Resolves to the result, or to the error as data. */
const settle = async (work: () => unknown) => {
  try {
    return await work();
  } catch (error) {
    const { code, message, fields } = error as Record<string, unknown>;
    return { code, message, fields };
  }
};

describe('the worker thread parses a large body like the main thread', () => {
  test.each([
    ['many events', json({ before: 1, events: rows(1_000), after: [2] })],
    ['events beyond their limits', json({ events: [...rows(998), fieldsOf(250_000), row(999)] })],
    ['more events than any list holds', json({ events: Array(200_000).fill({}) })],
    ['no events', json({ events: [], note: 1 })],
    ['an object with too many fields', json({ properties: fieldsOf(250_000) })],
    ['a string instead of the list', json({ events: 'x' })],
    ['null', json(null)],
    ['invalid JSON', { ...json(0), bytes: Buffer.from(`{"events":[${'{},'.repeat(100_000)}]}`) }],
    [
      'invalid UTF-8',
      { ...json(0), bytes: Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff]), Buffer.from('"}')]) },
    ],
    ['NUL characters', json({ events: [{ a: '\0' }] })],
    ['CSV', csv],
  ] satisfies [string, BodyText][])('%s', async (_what, text) => {
    const here = await settle(() => readBodyText(text));
    expect(await settle(() => thread.read(text, () => {}))).toEqual(here);
  });
});

test('concurrent bodies are parsed independently', async () => {
  const read = async (count: number) => (await thread.read(json({ events: rows(count) }), () => {})).value;
  const values = await Promise.all([1_000, 1, 300, 0, 700].map(read));
  expect(values).toEqual([1_000, 1, 300, 0, 700].map((count) => ({ events: rows(count) })));
});

test('only large bodies are parsed on the thread, and the processor time is reported', async () => {
  const cold = new BodyThread();
  const times: number[] = [];
  const onTime = (ms: number) => void times.push(ms);
  const spent = async (text: BodyText) => {
    const before = process.threadCpuUsage();
    await settle(() => readBody(text, cold, onTime));
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1_000;
  };
  const large = json({ properties: fieldsOf(250_000), events: rows(1_000) });
  await readBody(json({ events: rows(5) }), cold, onTime);
  await spent(large);
  // The thread is warm now. On the main thread, parsing this body takes about 100 ms.
  expect(await spent(json({ events: Array(1_000).fill(fieldsOf(400)) }))).toBeLessThan(60);
  expect(times).toHaveLength(3);
  // The kernel counts CPU time in ticks, so fast work may measure as 0.
  expect(times.at(-1)).toBeGreaterThan(0);
  await cold.close();
});

test('the event loop serves other work while a large body is transferred', async () => {
  const bytes = Buffer.from(
    `{"events":[${Array(120)
      .fill(`{"a":[${Array(8_000).fill('[]').join()}]}`)
      .join()}]}`,
  );
  expect(bytes.length).toBeGreaterThan(10 * limits.bodyBytes);
  let ticks = 0;
  let isRead = false;
  const reading = thread
    .read({ bytes, format: 'json', list: 'events' }, () => {})
    .finally(() => {
      isRead = true;
    });
  while (!isRead) {
    await sleep(0);
    ticks += 1;
  }
  await reading;
  expect(ticks).toBeGreaterThan(30);
});

test('pending bodies fail with service_unavailable when the thread ends, and the next body starts a new thread', async () => {
  const ended = new BodyThread();
  const large = json({ events: rows(1_000) });
  const reading = [1, 2].map(() => settle(() => ended.read(large, () => {})));
  await ended.close();
  expect(await Promise.all(reading)).toMatchObject([{ code: 'service_unavailable' }, { code: 'service_unavailable' }]);
  expect((await ended.read(json({ events: rows(2) }), () => {})).value).toEqual({ events: rows(2) });
  await ended.close();
});
