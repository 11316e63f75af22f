import { type AnswerOf, type Routes, routes } from '@tributary/contract';
import { findProfile } from '@tributary/domain/tenancy/tenants';
import { answer, type Handles, readBody } from '@tributary/operations';
import type { Postgres, Tx } from '@tributary/postgres';
import { v7 as uuid } from 'uuid';
import { CustomerBook, type Evidence } from './customer-book.ts';
import { type ReadRow, readRow } from './import-row.ts';
import { openCustomers } from './open-customers.ts';
import { saveCustomers } from './save-customers.ts';
import type { Tombstones } from './tombstones.ts';

export interface CustomerServices {
  readonly tombstones: Tombstones;
}

type Result = AnswerOf<Routes['importCustomers']>['body']['data']['results'][number];

export const importCustomers: Handles<Routes['importCustomers'], CustomerServices> = (
  { body },
  { effect, mentions, caller, now, requestId, tombstones },
) => {
  const profileId = caller.profileId;
  const rows = body.rows.map((row) => readRow(row, body.country));
  const evidence: Evidence = { source: 'import', saidAt: now, requestId };

  return effect(async (tx) => {
    const results = await applyRows(tx, profileId, rows, evidence, tombstones);
    for (const { customer_profile_id } of results) if (customer_profile_id) mentions(customer_profile_id);
    return answer(200, { data: { results, summary: summarise(results) } });
  });
};

/** A row of a file: its cells by column name. */
interface CustomerCells {
  readonly line: number;
  readonly cells: Readonly<Record<string, string>>;
}

interface ImportedCustomers {
  readonly created: number;
  readonly matched: number;
  readonly rejected: readonly { readonly line: number; readonly field: string; readonly message: string }[];
}

/** Imports rows of a file like the route imports those of a request. Returns undefined for an unknown profile. */
export async function openCustomerImporter(
  app: Postgres,
  profileId: string,
  { tombstones }: CustomerServices,
  now: () => Date,
): Promise<
  | {
      import(rows: readonly CustomerCells[]): Promise<ImportedCustomers>;
      /** Validates the rows and stores nothing. */
      check(rows: readonly CustomerCells[]): ImportedCustomers;
    }
  | undefined
> {
  const ledger = app.forProfile(profileId);
  if (!(await ledger.transaction((tx) => findProfile(tx, profileId)))) return undefined;
  const read = (rows: readonly CustomerCells[]) => {
    const body = readBody(routes.importCustomers, { rows: rows.map(({ cells }) => cells) });
    return body.rows.map((row) => readRow(row, body.country));
  };
  const toLineResults = (rows: readonly CustomerCells[], results: readonly Result[]): ImportedCustomers => ({
    created: results.filter(({ status }) => status === 'created').length,
    matched: results.filter(({ status }) => status === 'matched').length,
    rejected: results.flatMap(({ index, status, field = '', message = '' }) =>
      status === 'rejected' ? [{ line: rows[index]?.line ?? 0, field: field || 'email', message }] : [],
    ),
  });
  return {
    check: (rows) => {
      // Does not query existing customers: only rejected rows matter here.
      const results = read(rows).map((row, index) => toResult(index, row, { customerId: '', isNew: true }));
      return { ...toLineResults(rows, results), created: 0 };
    },
    async import(rows) {
      const evidence: Evidence = { source: 'import', saidAt: now(), requestId: `req_${uuid()}` };
      return toLineResults(
        rows,
        await ledger.transaction((tx) => applyRows(tx, profileId, read(rows), evidence, tombstones)),
      );
    },
  };
}

async function applyRows(
  tx: Tx,
  profileId: string,
  rows: readonly ReadRow[],
  evidence: Evidence,
  tombstones: Tombstones,
): Promise<Result[]> {
  const opened = await openCustomers(
    tx,
    profileId,
    rows.flatMap((row) => (row.rejected ? [] : row.message.identifiers)),
    tombstones,
  );
  const book = new CustomerBook(opened, uuid);
  const applied = rows.map((row) => (row.rejected ? undefined : book.take(row.message, evidence)));
  await saveCustomers(tx, profileId, book.changes());
  // Results are computed last, because a later row may merge the customers of earlier ones.
  return rows.map((row, index) => {
    const one = applied[index];
    return toResult(index, row, one && { ...one, customerId: book.survivorOf(one.customerId) });
  });
}

function toResult(index: number, row: ReadRow, applied: { customerId: string; isNew: boolean } | undefined): Result {
  if (row.rejected || !applied) {
    return { index, status: 'rejected', customer_profile_id: null, ...row.rejected };
  }
  return {
    index,
    status: applied.isNew ? 'created' : 'matched',
    customer_profile_id: applied.customerId,
    ...(row.warnings.length > 0 && { warnings: [...row.warnings] }),
  };
}

function summarise(results: readonly Result[]) {
  const summary = { total: results.length, created: 0, matched: 0, rejected: 0 };
  for (const { status } of results) summary[status] += 1;
  return summary;
}
