import type { ClickHouse, Row } from '@tributary/clickhouse';
import type { Postgres } from '@tributary/postgres';
import { type RawBuilder, sql } from 'kysely';
import {
  bucketsOfDay,
  byId,
  inChunks,
  type LedgerGroup,
  type LedgerRow,
  listLedgerGroups,
  listOfIds,
  markOf,
  type Span,
} from './compared-rows.ts';

/** Reads both sides of a comparison by groups of conversions. */

export interface Stores {
  readonly app: Postgres;
  readonly clickhouse: ClickHouse;
}

interface Sums {
  readonly conversions: number;
  /** In minor units. */
  readonly money: bigint;
}

/** One side of a group: all of it, and the part that is compared by sums only. */
interface Side {
  readonly all: Sums;
  /** `sum` is a checksum over ids and values. */
  readonly settled: Sums & { readonly sum: bigint };
}

export interface Group {
  readonly bucket: number;
  readonly ledger: Side;
  /** `off` counts conversions whose credits do not add up to their value. */
  readonly columns: Side & { readonly off: number };
}

export const isDifferent = ({ ledger, columns }: Group): boolean =>
  columns.off !== 0 ||
  ledger.settled.conversions !== columns.settled.conversions ||
  ledger.settled.money !== columns.settled.money ||
  ledger.settled.sum !== columns.settled.sum;

/** A conversion as both sides have it, with `was` from the ledger and `row` from ClickHouse. */
export interface Suspect {
  readonly id: string;
  readonly bucket: number;
  readonly was: LedgerRow | undefined;
  readonly row: ColumnsRow | undefined;
  readonly isMarked: boolean;
}

export type ColumnsRow = Pick<Row<'conversion_list_compared'>, 'money' | 'definition_id' | 'is_off'>;

/**
 * Dirty conversions that are compared one by one: as many as ClickHouse accepts in one field. Beyond them whole groups are read row by row.
 */
const maxMarked = 10_000;
/** The largest clock difference expected between machines. */
const clockSkewMs = 5_000;
/** More than the groups of three months need: with less, PostgreSQL would sort every row on disk. */
const groupMemory = '64MB';

/** Reads both sides by groups, with the ledger in one snapshot, and the conversions that are compared one by one. */
export async function readGroups(
  { app, clickhouse }: Stores,
  span: Span,
  signal: AbortSignal,
): Promise<{ groups: Group[]; suspects: Suspect[] }> {
  const { profileId, from, until, timeZone } = span;
  return app.snapshot(profileId, async (snapshot) => {
    const read: Read = (statement) => {
      const { sql: text, parameters } = statement.compile(app.database);
      return snapshot.query(text, parameters);
    };
    const [begun] = await read(sql<{ at: Date }>`SELECT now() AS at`);
    if (!begun) throw new Error('PostgreSQL did not say what time it is.');
    const isMarked = await listAnyMarked(read, profileId);
    await snapshot.query(`SET LOCAL work_mem = '${groupMemory}'; SET LOCAL jit = off`);
    const since = new Date(begun.at.getTime() - clockSkewMs);
    const period = { profile_id: profileId, from, until, time_zone: timeZone, buckets_of_day: bucketsOfDay };
    const [inLedger, inColumns] = await Promise.all([
      read(listLedgerGroups(span)),
      clickhouse.query('conversion_list_groups', { ...period, marked: [...isMarked].map(markOf), since }, { signal }),
    ]);
    const moving = new Map(
      inColumns.flatMap(({ bucket, definition_id, moving }) =>
        moving.map(([id, money, is_off]) => [id, { bucket, money, definition_id, is_off }] as const),
      ),
    );
    const ids = [...new Set([...isMarked, ...moving.keys()])];
    const rows = await inChunks(ids, (some) => read(listOfIds(span, some)));
    const inSnapshot = byId(rows);
    const suspects = ids.flatMap((id) => {
      const [was, row] = [inSnapshot.get(id), moving.get(id)];
      const bucket = was?.bucket ?? row?.bucket;
      return bucket === undefined ? [] : [{ id, bucket, was, row, isMarked: isMarked.has(id) }];
    });
    return { groups: pairUp(inLedger, rows, inColumns), suspects };
  });
}

type Read = <Row>(statement: RawBuilder<Row>) => Promise<Row[]>;

async function listAnyMarked(read: Read, profileId: string): Promise<Set<string>> {
  const marked = sql<{ id: string }>`
    SELECT outcome_id AS id FROM dirty_conversions WHERE profile_id = ${profileId} LIMIT ${maxMarked}`;
  return new Set((await read(marked)).map(({ id }) => id));
}

const emptySide: Side = {
  all: { conversions: 0, money: 0n },
  settled: { conversions: 0, money: 0n, sum: 0n },
};

function pairUp(
  inLedger: readonly LedgerGroup[],
  inProgress: readonly LedgerRow[],
  inColumns: readonly Row<'conversion_list_groups'>[],
): Group[] {
  const groups = new Map<string, { -readonly [Name in keyof Group]: Group[Name] }>();
  const groupOf = ({ bucket, definitionId }: Pick<LedgerGroup, 'bucket' | 'definitionId'>) => {
    const key = `${bucket} ${definitionId}`;
    const group = groups.get(key) ?? { bucket, ledger: emptySide, columns: { ...emptySide, off: 0 } };
    groups.set(key, group);
    return group;
  };
  for (const group of inLedger) {
    const all = { conversions: Number(group.conversions), money: BigInt(group.money) };
    groupOf(group).ledger = { all, settled: { ...all, sum: BigInt(group.sum) } };
  }
  for (const row of inProgress) {
    const group = groupOf(row);
    const { all, settled } = group.ledger;
    group.ledger = {
      all,
      settled: {
        conversions: settled.conversions - 1,
        money: settled.money - BigInt(row.money),
        sum: settled.sum - BigInt(row.sum),
      },
    };
  }
  for (const group of inColumns) {
    groupOf({ ...group, definitionId: group.definition_id }).columns = {
      all: { conversions: Number(group.conversions), money: BigInt(group.money) },
      settled: {
        conversions: Number(group.settled_conversions),
        money: BigInt(group.settled_money),
        sum: BigInt(group.sum),
      },
      off: group.off,
    };
  }
  return [...groups.values()];
}
