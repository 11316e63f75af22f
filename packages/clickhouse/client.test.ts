import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClickHouse } from './client.ts';
import { ClickHouseFailure } from './failure.ts';
import { raw } from './queries.ts';
import { createScratch, type Scratch } from './scratch.ts';
import type { Observation } from './settings.ts';

const observations: Observation[] = [];
let scratch: Scratch;
beforeAll(async () => {
  scratch = await createScratch({ observe: (observation) => observations.push(observation) });
});
afterAll(() => scratch.drop());

const failureOf = async (promise: Promise<unknown>): Promise<ClickHouseFailure> => {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ClickHouseFailure)) throw new Error(`expected a ClickHouseFailure, got ${error}`);
  return error;
};

describe('values', () => {
  test('large numbers are not rounded and instants keep their zone', async () => {
    const [row] = await scratch.client.query(
      raw(`SELECT toUInt64(18446744073709551615) AS unsigned, toInt64(-9007199254740993) AS signed, [toUInt64(1)] AS list,
        toDecimal128('12345678901234567.89', 2) AS money, toUInt32(7) AS small, true AS yes,
        toDateTime64('2026-03-01 12:00:00.007', 3, 'UTC') AS utc,
        toDateTime64('2026-03-01 12:00:00.007', 3, 'America/Santiago') AS local,
        toDate('2026-03-01') AS day`),
      {},
    );
    expect(row).toEqual({
      unsigned: '18446744073709551615',
      signed: '-9007199254740993',
      list: ['1'],
      money: '12345678901234567.89',
      small: 7,
      yes: true,
      utc: '2026-03-01T12:00:00.007Z',
      local: '2026-03-01T15:00:00.007Z',
      day: '2026-03-01',
    });
  });

  test('a Date parameter keeps its milliseconds', async () => {
    const at = new Date('2026-03-01T12:00:00.007Z');
    const rows = await scratch.client.query(raw("SELECT {at:DateTime64(3, 'UTC')} AS at"), { at });
    expect(rows).toEqual([{ at: at.toISOString() }]);
  });

  test('parameters too long for a URL arrive', async () => {
    const ids = Array.from({ length: 20_000 }, (_, index) => index);
    const rows = await scratch.client.query(raw('SELECT length({ids:Array(UInt32)}) AS n'), { ids });
    expect(rows).toEqual([{ n: String(ids.length) }]);
  });
});

describe('reading', () => {
  test('a stream yields every row, and the reader may stop early', async () => {
    const { client } = scratch;
    let sum = 0;
    for await (const { n } of client.stream(
      raw<{ n: number }>('SELECT toUInt32(number) AS n FROM numbers(100000)'),
      {},
    )) {
      sum += n;
    }
    expect(sum).toBe((100_000 * 99_999) / 2);
    for await (const _ of client.stream(raw('SELECT number FROM system.numbers'), {})) break;
    await client.ping();
  });

  test('an error after the first rows is thrown, not treated as the end of the stream', async () => {
    const broken = raw('SELECT throwIf(number = 3000000) AS n FROM numbers(5000000) SETTINGS max_block_size = 1000');
    const read = async () => {
      let rows = 0;
      for await (const _ of scratch.client.stream(broken, {})) rows += 1;
      return rows;
    };
    expect((await failureOf(read())).message).toContain('throwIf');
    expect((await failureOf(scratch.client.query(broken, {}))).message).toContain('throwIf');
  });

  test('a query cannot change anything', async () => {
    const failure = await failureOf(scratch.client.query(raw('DROP TABLE visits'), {}));
    expect(failure.message).toMatch(/readonly/i);
    // A fault of the caller: a retry cannot succeed.
    expect(failure).toMatchObject({ type: 'READONLY', transient: false });
    expect(await scratch.client.query(raw('SELECT count() AS n FROM visits'), {})).toEqual([{ n: '0' }]);
  });
});

describe('failures', () => {
  test('every request is observed under its name, with the query id of ClickHouse', async () => {
    observations.length = 0;
    const parameters = { profile_id: crypto.randomUUID(), from: new Date(0), to: new Date(1) };
    await scratch.client.query('visit_count', parameters);
    const failure = await failureOf(scratch.client.command(raw('NONSENSE'), {}));
    expect(observations.map(({ statement, error }) => [statement, error])).toEqual([
      ['visit_count', undefined],
      ['raw', failure],
    ]);
    const [row] = await scratch.client.query(raw<{ id: string }>('SELECT queryID() AS id'), {});
    expect(observations.at(-1)?.queryId).toBe(row?.id);
  });

  test('an unknown column rejects the insert', async () => {
    const failure = await failureOf(scratch.client.insertLines('visits', '{"visitor_idd": "x"}\n'));
    expect(failure.message).toContain('visitor_idd');
    expect(failure.transient).toBe(false);
  });

  test('a request to a server that does not answer times out', async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const hasty = createClickHouse({ ...scratch.settings, url: `http://127.0.0.1:${port}`, requestTimeoutMs: 100 });
    expect((await failureOf(hasty.ping())).transient).toBe(true);
    await hasty.close();
    silent.close();
  });

  test('a read is retried when the connection is reset; a write is rejected', async () => {
    let connections = 0;
    const engine = new URL(scratch.settings.url);
    const line = createServer((socket) => {
      connections += 1;
      // The first connection of each request is reset when data arrives, as ClickHouse does with an idle one.
      if (connections % 2 === 1) socket.once('data', () => socket.resetAndDestroy());
      else {
        const onward = connect(Number(engine.port), engine.hostname);
        socket.pipe(onward).pipe(socket);
      }
    }).listen(0, '127.0.0.1');
    await once(line, 'listening');
    const { port } = line.address() as AddressInfo;
    const client = createClickHouse({ ...scratch.settings, url: `http://127.0.0.1:${port}` });
    expect(await client.query(raw('SELECT 1 AS one'), {})).toEqual([{ one: 1 }]);
    expect(connections).toBe(2);
    await client.close();
    connections = 0;
    const writer = createClickHouse({ ...scratch.settings, url: `http://127.0.0.1:${port}` });
    expect((await failureOf(writer.command(raw('SELECT 1'), {}))).transient).toBe(true);
    await writer.close();
    line.close();
  });

  test('ClickHouse aborts a query whose client timed out', async () => {
    const hasty = createClickHouse({ ...scratch.settings, requestTimeoutMs: 300 });
    const slow = 'SELECT sleepEachRow(0.1) FROM numbers(100) SETTINGS max_block_size = 1';
    expect((await failureOf(hasty.query(raw(slow), {}))).transient).toBe(true);
    const running = raw('SELECT query_id FROM system.processes WHERE startsWith(query, {slow:String})');
    await expect.poll(() => scratch.client.query(running, { slow }), { timeout: 4_000 }).toEqual([]);
    await hasty.close();
  });

  test('a caller can abort a query', async () => {
    const slow = raw('SELECT sleepEachRow(0.1) FROM numbers(30) SETTINGS max_block_size = 1');
    const failure = await failureOf(scratch.client.query(slow, {}, { signal: AbortSignal.timeout(50) }));
    expect(failure).toBeInstanceOf(ClickHouseFailure);
  });

  test('ping reports an unreachable server and a missing database', async () => {
    await scratch.client.ping();
    const unreachable = createClickHouse({ ...scratch.settings, url: 'http://127.0.0.1:9' });
    const withoutDatabase = createClickHouse({ ...scratch.settings, database: 'test_never_made' });
    expect((await failureOf(unreachable.ping())).transient).toBe(true);
    expect((await failureOf(withoutDatabase.ping())).type).toBe('UNKNOWN_DATABASE');
    await Promise.all([unreachable.close(), withoutDatabase.close()]);
  });
});
