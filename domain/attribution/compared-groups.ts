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

/** Both sides of a comparison by groups of conversions. */

export interface Stores {
  readonly app: Postgres;
  readonly clickhouse: ClickHouse;
}

interface Sums {
  readonly conversions: number;
  /** In minor units. */
  readonly money: bigint;
}

/** What one side has in a group: all of it, and what is compared without looking at rows. */
interface Side {
  readonly all: Sums;
  /** `sum` is of what says which conversions they are and what each is worth. */
  readonly settled: Sums & { readonly sum: bigint };
}

export interface Group {
  readonly bucket: number;
  readonly ledger: Side;
  /** `off` do not credit all of their value. */
  readonly columns: Side & { readonly off: number };
}

export const isDifferent = ({ ledger, columns }: Group): boolean =>
  columns.off !== 0 ||
  ledger.settled.conversions !== columns.settled.conversions ||
  ledger.settled.money !== columns.settled.money ||
  ledger.settled.sum !== columns.settled.sum;

/** A conversion as both sides had it, the ledger first. */
export interface Suspect {
  readonly id: string;
  readonly bucket: number;
  readonly was: LedgerRow | undefined;
  readonly row: ColumnsRow | undefined;
  readonly isMarked: boolean;
}

export type ColumnsRow = Pick<Row<'conversion_list_compared'>, 'money' | 'definition_id' | 'is_off'>;

/** Marked conversions that are compared by themselves: as many as ClickHouse takes in one field. Beyond them groups are read row by row. */
const mostMarked = 10_000;
/** As far as clocks of our machines may be apart. */
const clocksApartMs = 5_000;
/** More than the groups of three months need: without it PostgreSQL would sort every row on the disk. */
const memoryOfGroups = '64MB';

/** Both sides by groups, with the ledger as it stands in one snapshot, and what differs of the conversions that are compared by themselves. */
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
    await snapshot.query(`SET LOCAL work_mem = '${memoryOfGroups}'; SET LOCAL jit = off`);
    const since = new Date(begun.at.getTime() - clocksApartMs);
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
    const known = byId(rows);
    const suspects = ids.flatMap((id) => {
      const [was, row] = [known.get(id), moving.get(id)];
      const bucket = was?.bucket ?? row?.bucket;
      return bucket === undefined ? [] : [{ id, bucket, was, row, isMarked: isMarked.has(id) }];
    });
    return { groups: pairUp(inLedger, rows, inColumns), suspects };
  });
}

type Read = <Row>(statement: RawBuilder<Row>) => Promise<Row[]>;

async function listAnyMarked(read: Read, profileId: string): Promise<Set<string>> {
  const marked = sql<{ id: string }>`
    SELECT outcome_id AS id FROM dirty_conversions WHERE profile_id = ${profileId} LIMIT ${mostMarked}`;
  return new Set((await read(marked)).map(({ id }) => id));
}

const nothing: Side = {
  all: { conversions: 0, money: 0n },
  settled: { conversions: 0, money: 0n, sum: 0n },
};

function pairUp(
  inLedger: readonly LedgerGroup[],
  underWay: readonly LedgerRow[],
  inColumns: readonly Row<'conversion_list_groups'>[],
): Group[] {
  const groups = new Map<string, { -readonly [Name in keyof Group]: Group[Name] }>();
  const groupOf = ({ bucket, definitionId }: Pick<LedgerGroup, 'bucket' | 'definitionId'>) => {
    const key = `${bucket} ${definitionId}`;
    const group = groups.get(key) ?? { bucket, ledger: nothing, columns: { ...nothing, off: 0 } };
    groups.set(key, group);
    return group;
  };
  for (const group of inLedger) {
    const all = { conversions: Number(group.conversions), money: BigInt(group.money) };
    groupOf(group).ledger = { all, settled: { ...all, sum: BigInt(group.sum) } };
  }
  for (const row of underWay) {
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
