import type { AnswerOf, Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
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
    const known = await openCustomers(
      tx,
      profileId,
      rows.flatMap((row) => (row.rejected ? [] : row.said.identifiers)),
      tombstones,
    );
    const book = new CustomerBook(known, uuid);
    const taken = rows.map((row) => (row.rejected ? undefined : book.take(row.said, evidence)));
    await saveCustomers(tx, profileId, book.changes());

    // Only now: a later row may have shown that two earlier ones are one person.
    const results = rows.map((row, index) => {
      const one = taken[index];
      return show(index, row, one && { ...one, customerId: book.survivorOf(one.customerId) });
    });
    for (const { customer_profile_id } of results) if (customer_profile_id) mentions(customer_profile_id);
    return answer(200, { data: { results, summary: summarise(results) } });
  });
};

function show(index: number, row: ReadRow, taken: { customerId: string; isNew: boolean } | undefined): Result {
  if (row.rejected || !taken) {
    return { index, status: 'rejected', customer_profile_id: null, ...row.rejected };
  }
  return {
    index,
    status: taken.isNew ? 'created' : 'matched',
    customer_profile_id: taken.customerId,
    ...(row.warnings.length > 0 && { warnings: [...row.warnings] }),
  };
}

function summarise(results: readonly Result[]) {
  const summary = { total: results.length, created: 0, matched: 0, rejected: 0 };
  for (const { status } of results) summary[status] += 1;
  return summary;
}
