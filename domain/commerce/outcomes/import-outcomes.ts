import { createHash } from 'node:crypto';
import { RegionCode, ServerEvent } from '@tributary/contract';
import { findProfile } from '@tributary/domain/tenancy/tenants';
import type { Postgres } from '@tributary/postgres';
import { v7 as uuid } from 'uuid';
import { type EventFault, type ReadBody, readOneOfMany } from './read-event.ts';
import { recordAll } from './record-all.ts';
import { retryOnConflict } from './record-outcomes.ts';
import type { OutcomeServices } from './services.ts';

/** A row of a file: its cells by column name. */
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

/** Imports rows like POST /events, one batch per transaction. A repeated row updates the same outcome. */
export interface OutcomeImporter {
  import(rows: readonly OutcomeCells[]): Promise<ImportedRows>;
  /** Validates the rows and records nothing. */
  check(rows: readonly OutcomeCells[]): ImportedRows;
}

/** Returns undefined for an unknown profile. */
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
      const results = await retryOnConflict(() =>
        app.forProfile(profileId).transaction((tx) =>
          recordAll(
            tx,
            reads.map(({ read }) => read),
            { profileId, now: at, evidence, teller: { source: 'import' }, ...services },
          ),
        ),
      );
      const rejected = results.flatMap((one, index) =>
        'code' in one ? [faultAt((reads[index] as (typeof reads)[number]).row, one)] : [],
      );
      const statuses = results.flatMap((one) =>
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
  rows.map((row) => ({ row, read: readOneOfMany(profileId, toEvent(row.cells), now, () => getDefaultKey(row)) }));

const faultAt = ({ line }: OutcomeCells, { field, message }: EventFault): RejectedRow => ({ line, field, message });

/** The default idempotency key of a row without money: a hash of its line and content, so that importing a file twice records no duplicates. */
function getDefaultKey({ line, cells }: OutcomeCells): string {
  return `file-${createHash('sha256')
    .update(JSON.stringify([line, cells]))
    .digest('hex')
    .slice(0, 40)}`;
}

// Columns are assigned to the fields of an event by name.
const { properties: _properties, user_traits, click_ids, ...fields } = ServerEvent.shape;
const eventFields: ReadonlySet<string> = new Set(Object.keys(fields));
const traits: ReadonlySet<string> = new Set(Object.keys(user_traits.unwrap().shape));
const clickIds: ReadonlySet<string> = new Set(Object.keys(click_ids.unwrap().unwrap().shape));

/**
 * Converts a row to a body of POST /events. Empty cells are ignored. Unknown columns become properties, and so does a region that is no valid
 * region code.
 */
function toEvent(cells: Readonly<Record<string, string>>): object {
  const event: Record<string, string> = {};
  const parts = { properties: {} as typeof event, user_traits: {} as typeof event, click_ids: {} as typeof event };
  for (const [name, cell] of Object.entries(cells)) {
    const value = cell.trim();
    if (value === '') continue;
    if (eventFields.has(name) && (name !== 'region' || RegionCode.safeParse(value).success)) event[name] = value;
    else if (traits.has(name)) parts.user_traits[name] = value;
    else if (clickIds.has(name)) parts.click_ids[name] = value;
    else parts.properties[name] = value;
  }
  return { ...event, ...parts };
}
