import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createBatchWriter } from './batch-writer.ts';
import { raw } from './queries.ts';
import { createScratch, type Scratch } from './scratch.ts';
import type { VisitRow } from './tables.ts';
import { visit } from './visit.fixture.ts';

let scratch: Scratch;
beforeAll(async () => {
  scratch = await createScratch();
  // Keeps duplicate rows separate, as they are until ClickHouse merges parts.
  await scratch.client.command(raw('SYSTEM STOP MERGES visits'), {});
});
afterAll(() => scratch.drop());

const year = { from: new Date('2026-01-01T00:00:00Z'), to: new Date('2027-01-01T00:00:00Z') };
const counted = async (profile_id: string) =>
  Number((await scratch.client.query('visit_count', { profile_id, ...year }))[0]?.visits);
const stored = async (profile_id: string) =>
  Number(
    (
      await scratch.client.query(raw<{ n: string }>('SELECT count() AS n FROM visits WHERE profile_id = {id:UUID}'), {
        id: profile_id,
      })
    )[0]?.n,
  );

/** Sends each batch through a new writer, as a restarted worker would. */
async function send(...batches: readonly VisitRow[][]): Promise<void> {
  for (const batch of batches) {
    const writer = createBatchWriter({ client: scratch.client, table: 'visits', maxWaitMs: 0 });
    await writer.add(batch);
    await writer.close();
  }
}

describe('duplicates count once', () => {
  test('when a batch is sent twice with different cuts', async () => {
    const profile_id = randomUUID();
    const visits = Array.from({ length: 1_500 }, () => visit({ profile_id }));
    await send(visits.slice(0, 1_000));
    // The worker died before it could acknowledge; its successor receives the same messages in other batches.
    await send(visits.slice(0, 500), visits.slice(500));
    expect(await stored(profile_id)).toBe(2_500);
    expect(await counted(profile_id)).toBe(1_500);
  });

  test('when a browser sends a visit again with another time, across the end of a quarter', async () => {
    const first = visit({ occurred_at: '2026-03-31T23:59:59.999Z' });
    await send([first], [{ ...first, occurred_at: '2026-04-01T00:00:00.000Z' }]);
    expect(await stored(first.profile_id)).toBe(2);
    expect(await counted(first.profile_id)).toBe(1);
  });

  test('when the response to a batch was lost: ClickHouse skips the same token', async () => {
    const row = visit();
    const token = randomUUID();
    for (const _ of [1, 2, 3]) await scratch.client.insert('visits', [row], { token });
    expect(await stored(row.profile_id)).toBe(1);
    await scratch.client.insert('visits', [row], { token: randomUUID() });
    expect(await stored(row.profile_id)).toBe(2);
  });

  test('and merging leaves one copy', async () => {
    const row = visit();
    await send([row], [row]);
    await scratch.client.command(raw('SYSTEM START MERGES visits'), {});
    await scratch.client.command(raw('OPTIMIZE TABLE visits FINAL'), {});
    await scratch.client.command(raw('SYSTEM STOP MERGES visits'), {});
    expect(await stored(row.profile_id)).toBe(1);
  });
});

describe('columns', () => {
  // A mutation waits for merges.
  beforeAll(() => scratch.client.command(raw('SYSTEM START MERGES visits'), {}));

  test('a row is read back unchanged, column by column', async () => {
    const row = visit();
    await send([row]);
    const found = raw<VisitRow>('SELECT * FROM visits WHERE visit_id = {id:UUID}');
    const [out] = await scratch.client.query(found, { id: row.visit_id });
    expect(out).toEqual(row);
  });

  test('unknown values get their defaults', async () => {
    const { profile_id, visit_id } = visit();
    await scratch.client.insertLines('visits', JSON.stringify({ profile_id, visit_id, country: null }));
    const unknown = raw('SELECT country, device, channel, source, medium FROM visits WHERE visit_id = {id:UUID}');
    expect(await scratch.client.query(unknown, { id: visit_id })).toEqual([
      { country: 'ZZ', device: 'unknown', channel: 'unknown', source: 'unknown', medium: '' },
    ]);
  });

  test('every column except the key and the time can be cleared, as an erasure does', async () => {
    const row = visit();
    await send([row]);
    const columns = raw<{ name: string; type: string }>(
      "SELECT name, type FROM system.columns WHERE database = currentDatabase() AND table = 'visits' AND NOT is_in_sorting_key AND NOT is_in_partition_key",
    );
    const clear = (await scratch.client.query(columns, {})).map(
      ({ name, type }) => `${name} = defaultValueOfTypeName('${type.replaceAll("'", "\\'")}')`,
    );
    expect(clear).toHaveLength(Object.keys(row).length - 4);
    await scratch.client.command(
      raw(
        `ALTER TABLE {{local visits}} UPDATE ${clear.join(', ')} WHERE visitor_id = {id:UUID} SETTINGS mutations_sync = 2`,
      ),
      { id: row.visitor_id },
    );
    const [left] = await scratch.client.query(raw<VisitRow>('SELECT * FROM visits WHERE visit_id = {id:UUID}'), {
      id: row.visit_id,
    });
    expect(left).toMatchObject({ visitor_id: row.visitor_id, occurred_at: row.occurred_at, url: '', city: '' });
  });

  test('a batch with visits of more than 100 quarters is accepted', async () => {
    const profile_id = randomUUID();
    const quarter = (index: number) => new Date(Date.UTC(1980, 3 * index));
    await send(Array.from({ length: 110 }, (_, index) => visit({ profile_id, occurred_at: quarter(index) })));
    expect(await stored(profile_id)).toBe(110);
  });
});
