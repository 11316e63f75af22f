import { ClickHouseError } from '@clickhouse/client';
import { FakeClock } from '@tributary/clock';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type BatchWriterOptions, createBatchWriter } from './batch-writer.ts';
import type { Timers } from './timers.ts';
import { visit } from './visit.fixture.ts';

/** A clock whose time and timers advance only by pass(). */
class FakeTimers extends FakeClock implements Timers {
  readonly #due: { readonly at: number; readonly run: () => void }[] = [];

  after(milliseconds: number, run: () => void): () => void {
    const entry = { at: this.now().getTime() + milliseconds, run };
    this.#due.push(entry);
    return () => void (this.#due.includes(entry) && this.#due.splice(this.#due.indexOf(entry), 1));
  }

  async pass(milliseconds: number): Promise<void> {
    const end = this.now().getTime() + milliseconds;
    while (true) {
      await settle();
      const [next] = this.#due.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
      if (!next) break;
      this.#due.splice(this.#due.indexOf(next), 1);
      this.set(new Date(Math.max(next.at, this.now().getTime())));
      next.run();
    }
    this.set(new Date(end));
  }
}

const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
const unavailable = () => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
const refused = () => new ClickHouseError({ message: 'bad row', code: '117', type: 'INCORRECT_DATA' });

/** A fake ClickHouse. Each insert gets the next entry of `answers`, or succeeds at once when there is none. */
function setUp(options: Partial<BatchWriterOptions<'visits'>> = {}) {
  const timers = new FakeTimers('2026-03-01T00:00:00Z');
  const inserts: { ids: string[]; token: string | undefined; at: number }[] = [];
  const answers: ((ids: string[]) => Promise<void> | void)[] = [];
  const startedAt = timers.now().getTime();
  let underWay = 0;
  const client: BatchWriterOptions<'visits'>['client'] = {
    async insertArrays(_table, columns, lines, { token } = {}) {
      underWay += 1;
      expect(underWay, 'inserts at once').toBe(1);
      const ids = lines
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)[columns.indexOf('event_name')] as string);
      inserts.push({ ids, token, at: timers.now().getTime() - startedAt });
      try {
        await (answers.shift() ?? always)(ids);
      } finally {
        underWay -= 1;
      }
    },
  };
  let always: (ids: string[]) => Promise<void> | void = () => {};
  const writer = createBatchWriter({
    client,
    table: 'visits',
    maxWaitMs: 100,
    backoffMs: () => 1_000,
    timers,
    ...options,
  });
  const add = (...names: string[]) => {
    const state: { done?: 'stored' | Error } = {};
    const promise = writer.add(names.map((event_name) => visit({ event_name })));
    promise.then(
      () => Object.assign(state, { done: 'stored' }),
      (error: Error) => Object.assign(state, { done: error }),
    );
    return state;
  };
  const answerAlways = (answer: typeof always) => {
    always = answer;
  };
  return { writer, timers, inserts, answers, add, answerAlways };
}

describe('sends a batch', () => {
  test('when its first row has waited maxWaitMs, and not before', async () => {
    const { timers, inserts, add } = setUp();
    const early = add('a');
    await timers.pass(60);
    const late = add('b');
    await timers.pass(39);
    expect([inserts.length, early.done]).toEqual([0, undefined]);
    await timers.pass(1);
    expect(inserts.map(({ ids }) => ids)).toEqual([['a', 'b']]);
    expect([early.done, late.done]).toEqual(['stored', 'stored']);
  });

  test('when it has maxRows rows, and never splits the rows of one call', async () => {
    const { inserts, add } = setUp({ maxRows: 3 });
    add('a', 'b');
    add('c', 'd');
    add('e');
    add('f', 'g', 'h', 'i');
    await settle();
    expect(inserts.map(({ ids }) => ids.join(''))).toEqual(['ab', 'cde', 'fghi']);
  });

  test('when it has maxBytes bytes', async () => {
    const bytes = JSON.stringify(Object.values(visit({ event_name: 'a' }))).length + 1;
    const { inserts, add } = setUp({ maxBytes: 2 * bytes });
    for (const name of ['a', 'b']) add(name);
    await settle();
    expect(inserts.map(({ ids }) => ids.join(''))).toEqual(['ab']);
  });

  test('one at a time, while the next batch fills', async () => {
    const { timers, inserts, answers, add } = setUp();
    const first = Promise.withResolvers<void>();
    answers.push(() => first.promise);
    add('a');
    await timers.pass(100);
    add('b');
    await timers.pass(100);
    add('c');
    await timers.pass(1_000);
    expect(inserts).toHaveLength(1);
    first.resolve();
    await settle();
    expect(inserts.map(({ ids }) => ids.join(''))).toEqual(['a', 'b', 'c']);
  });

  test('not at all when no row was added', async () => {
    const { writer, inserts } = setUp();
    await writer.add([]);
    await writer.flush();
    expect(inserts).toEqual([]);
  });
});

describe('while ClickHouse is unavailable', () => {
  test('retries the same batch with the same token until it is stored', async () => {
    const { timers, inserts, answers, add } = setUp();
    answers.push(
      () => Promise.reject(unavailable()),
      () => Promise.reject(unavailable()),
    );
    const rows = add('a', 'b');
    await timers.pass(1_100);
    expect(rows.done).toBeUndefined();
    await timers.pass(1_000);
    expect(rows.done).toBe('stored');
    expect(inserts.map(({ ids, at }) => [ids.join(''), at])).toEqual([
      ['ab', 100],
      ['ab', 1_100],
      ['ab', 2_100],
    ]);
    expect(new Set(inserts.map(({ token }) => token)).size).toBe(1);
    add('a', 'b');
    await timers.pass(100);
    expect(inserts.at(-1)?.token).not.toBe(inserts[0]?.token);
  });

  test('rejects every call of the batch after the deadline and continues with later rows', async () => {
    const { timers, inserts, add, answerAlways } = setUp({ retryForMs: 5_000 });
    answerAlways(() => Promise.reject(unavailable()));
    const [one, two] = [add('a'), add('b')];
    await timers.pass(10_000);
    expect([one.done, two.done]).toEqual([unavailable(), unavailable()]);
    expect(inserts.at(-1)?.at).toBe(4_100);
    answerAlways(() => {});
    const three = add('c');
    await timers.pass(100);
    expect(three.done).toBe('stored');
  });

  test('applies the deadline to queued batches at once, not one after the other', async () => {
    const { timers, add, answerAlways } = setUp({ retryForMs: 5_000, maxRows: 1 });
    answerAlways(() => Promise.reject(unavailable()));
    const rows = ['a', 'b', 'c', 'd'].map((name) => add(name));
    await timers.pass(6_000);
    expect(rows.map(({ done }) => done)).toEqual([unavailable(), unavailable(), unavailable(), unavailable()]);
  });
});

test('rejects only the call whose row ClickHouse refuses', async () => {
  const { timers, inserts, add, answerAlways } = setUp();
  answerAlways((ids) => (ids.includes('bad') ? Promise.reject(refused()) : undefined));
  const states = [add('a'), add('b', 'bad'), add('c')];
  await timers.pass(100);
  expect(states.map(({ done }) => done)).toEqual(['stored', refused(), 'stored']);
  expect(inserts.map(({ ids }) => ids.join(' '))).toEqual(['a b bad c', 'a', 'b bad', 'c']);
  expect(new Set(inserts.map(({ token }) => token)).size).toBe(4);
});

describe('back-pressure', () => {
  test('calls above the limit wait, and are accepted in order as rows are stored', async () => {
    const { writer, timers, inserts, answers, add } = setUp({ maxPendingRows: 3, maxRows: 2 });
    const first = Promise.withResolvers<void>();
    answers.push(() => first.promise);
    add('a', 'b');
    add('c', 'd');
    add('e');
    let ready = false;
    writer.ready().then(() => {
      ready = true;
    });
    await timers.pass(1_000);
    expect([inserts.map(({ ids }) => ids.join('')), ready]).toEqual([['ab'], false]);
    first.resolve();
    await timers.pass(100);
    expect([inserts.map(({ ids }) => ids.join('')), ready]).toEqual([['ab', 'cd', 'e'], true]);
  });

  test('a call larger than the limit is stored', async () => {
    const { timers, add } = setUp({ maxPendingRows: 2 });
    const rows = add('a', 'b', 'c', 'd');
    await timers.pass(100);
    expect(rows.done).toBe('stored');
  });
});

describe('flush and close', () => {
  test('flush sends at once and includes calls that wait for capacity', async () => {
    const { writer, inserts, add } = setUp({ maxPendingRows: 1, maxWaitMs: 1e9 });
    const states = ['a', 'b', 'c'].map((name) => add(name));
    await writer.flush();
    expect(states.map(({ done }) => done)).toEqual(['stored', 'stored', 'stored']);
    expect(inserts.map(({ ids }) => ids.join(''))).toEqual(['a', 'b', 'c']);
  });

  test('flush resolves even when the calls reject', async () => {
    const { writer, add, answerAlways } = setUp();
    answerAlways(() => Promise.reject(refused()));
    const rows = add('a');
    await writer.flush();
    expect(rows.done).toEqual(refused());
  });

  test('a closed writer has stored everything and rejects further calls', async () => {
    const { writer, add } = setUp({ maxWaitMs: 1e9 });
    const rows = add('a');
    await writer.close();
    expect(rows.done).toBe('stored');
    await expect(writer.add([visit()])).rejects.toThrow('The writer of visits is closed.');
  });
});

test('settles every call and stores rows once and in order, for any limits and failures', async () => {
  const plan = fc.record({
    sizes: fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 25 }),
    pauses: fc.array(fc.integer({ min: 0, max: 150 }), { maxLength: 25 }),
    failures: fc.array(fc.constantFrom('stored', 'unavailable', 'answer lost'), { maxLength: 25 }),
    maxRows: fc.integer({ min: 1, max: 8 }),
    maxPendingRows: fc.integer({ min: 1, max: 20 }),
  });
  await fc.assert(
    fc.asyncProperty(plan, async ({ sizes, pauses, failures, maxRows, maxPendingRows }) => {
      const { writer, timers, add, answerAlways } = setUp({ maxRows, maxPendingRows, retryForMs: 2_500 });
      const stored: string[] = [];
      const tokens = [...failures];
      answerAlways((ids) => {
        const outcome = tokens.shift() ?? 'stored';
        if (outcome !== 'unavailable') for (const id of ids) if (!stored.includes(id)) stored.push(id);
        return outcome === 'stored' ? undefined : Promise.reject(unavailable());
      });
      const calls = sizes.map((size, call) => Array.from({ length: size }, (_, row) => `${call}.${row}`));
      const states: ReturnType<typeof add>[] = [];
      for (const [index, names] of calls.entries()) {
        states.push(add(...names));
        await timers.pass(pauses[index] ?? 0);
      }
      const closed = writer.close();
      await timers.pass(1e6);
      await closed;
      for (const [index, { done }] of states.entries()) {
        expect(done).toBeDefined();
        if (done === 'stored') expect(stored).toEqual(expect.arrayContaining(calls[index] as string[]));
      }
      const order = calls.flat().filter((name) => stored.includes(name));
      expect(stored).toEqual(order);
    }),
    { numRuns: 150 },
  );
});
