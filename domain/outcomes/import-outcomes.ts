import { createHash } from 'node:crypto';
import { RegionCode, ServerEvent } from '@tributary/contract';
import { findProfile } from '@tributary/domain/tenants';
import type { Postgres } from '@tributary/postgres';
import { v7 as uuid } from 'uuid';
import { type EventFault, type ReadBody, readOneOfMany } from './read-event.ts';
import { recordAll } from './record-all.ts';
import { untilRecorded } from './record-outcomes.ts';
import type { OutcomeServices } from './services.ts';

/** A row of a file: its cells by the names of their columns. */
export interface OutcomeCells {
  readonly line: number;
  readonly cells: Readonly<Record<string, string>>;
}

export interface RejectedRow {
  readonly line: number;
  readonly field: string;
  readonly message: string;
}

export interface ImportedRows {
  readonly recorded: number;
  readonly updated: number;
  readonly duplicate: number;
  readonly rejected: readonly RejectedRow[];
}

/** Takes rows as POST /events takes events, a batch in one transaction. Sent again, a row is the same outcome. */
export interface OutcomeImporter {
  import(rows: readonly OutcomeCells[]): Promise<ImportedRows>;
  /** Says what is wrong with the rows, and records nothing. */
  check(rows: readonly OutcomeCells[]): ImportedRows;
}

/** Undefined where there is no such profile. */
export async function openOutcomeImporter(
  app: Postgres,
  profileId: string,
  services: OutcomeServices,
  now: () => Date,
): Promise<OutcomeImporter | undefined> {
  if (!(await app.forProfile(profileId).transaction((tx) => findProfile(tx, profileId)))) return undefined;
  return {
    check: (rows) => ({
      recorded: 0,
      updated: 0,
      duplicate: 0,
      rejected: readRows(profileId, rows, now()).flatMap(({ row, read }) =>
        'code' in read ? [faultAt(row, read)] : [],
      ),
    }),
    async import(rows) {
      const at = now();
      const reads = readRows(profileId, rows, at);
      const evidence = { source: 'file', saidAt: at, requestId: `req_${uuid()}` };
      const taken = await untilRecorded(() =>
        app.forProfile(profileId).transaction((tx) =>
          recordAll(
            tx,
            reads.map(({ read }) => read),
            { profileId, now: at, evidence, teller: { source: 'import' }, ...services },
          ),
        ),
      );
      const rejected = taken.flatMap((one, index) =>
        'code' in one ? [faultAt((reads[index] as (typeof reads)[number]).row, one)] : [],
      );
      const statuses = taken.flatMap((one) =>
        'recorded' in one ? [one.recorded.status] : 'refund' in one ? [one.refund.status] : [],
      );
      const count = (wanted: string) => statuses.filter((status) => status === wanted).length;
      return { recorded: count('recorded'), updated: count('updated'), duplicate: count('duplicate'), rejected };
    },
  };
}

const readRows = (
  profileId: string,
  rows: readonly OutcomeCells[],
  now: Date,
): { readonly row: OutcomeCells; readonly read: ReadBody }[] =>
  rows.map((row) => ({ row, read: readOneOfMany(profileId, eventOf(row.cells), now, () => keyOf(row)) }));

const faultAt = ({ line }: OutcomeCells, { field, message }: EventFault): RejectedRow => ({ line, field, message });

/** A row without money and key of its own is known by its place and content, so that the same file again is no second outcome. */
function keyOf({ line, cells }: OutcomeCells): string {
  return `file-${createHash('sha256')
    .update(JSON.stringify([line, cells]))
    .digest('hex')
    .slice(0, 40)}`;
}

// The columns of a file are the fields of an event.
const { properties: _further, user_traits, click_ids, ...fields } = ServerEvent.shape;
const top: ReadonlySet<string> = new Set(Object.keys(fields));
const traits: ReadonlySet<string> = new Set(Object.keys(user_traits.unwrap().shape));
const clickIds: ReadonlySet<string> = new Set(Object.keys(click_ids.unwrap().unwrap().shape));

/**
 * The body that POST /events would take. An empty cell says nothing; a column of another name is a further property, and so is a region that is
 * no code of one.
 */
function eventOf(cells: Readonly<Record<string, string>>): object {
  const event: Record<string, string> = {};
  const parts = { properties: {} as typeof event, user_traits: {} as typeof event, click_ids: {} as typeof event };
  for (const [name, cell] of Object.entries(cells)) {
    const value = cell.trim();
    if (value === '') continue;
    if (top.has(name) && (name !== 'region' || RegionCode.safeParse(value).success)) event[name] = value;
    else if (traits.has(name)) parts.user_traits[name] = value;
    else if (clickIds.has(name)) parts.click_ids[name] = value;
    else parts.properties[name] = value;
  }
  return { ...event, ...parts };
}
