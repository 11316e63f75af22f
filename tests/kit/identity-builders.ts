import { v7 as uuid } from 'uuid';
import type { Testkit } from './testkit.ts';

const longAgo = new Date('2026-01-01T00:00:00Z');
type Kit = Pick<Testkit, 'app'>;

/** Inserts two customers, one merged into the other. */
export async function buildMerge(
  kit: Kit,
  profile: { readonly id: string; readonly mark: string },
  buildCustomer: () => Promise<string>,
): Promise<string> {
  const [loser, survivor] = [await buildCustomer(), await buildCustomer()];
  const id = uuid();
  await kit.app.forProfile(profile.id).transaction(async (tx) => {
    const columns = { merged_at: longAgo, source: profile.mark, said_kinds: ['email'] };
    await tx
      .insertInto('merges')
      .values({ profile_id: profile.id, id, loser_id: loser, survivor_id: survivor, ...columns })
      .execute();
    await tx.updateTable('customers').set({ merged_into: survivor }).where('id', '=', loser).execute();
  });
  return id;
}

/** Inserts two customers with a merge proposal. */
export async function buildMergeProposal(
  kit: Kit,
  profile: { readonly id: string; readonly mark: string },
  buildCustomer: () => Promise<string>,
): Promise<string> {
  const [one, other] = [await buildCustomer(), await buildCustomer()].sort() as [string, string];
  const id = uuid();
  const shared = { kind: 'email', value: `${profile.mark}@example.test`, source: profile.mark, proposed_at: longAgo };
  await kit.app.forProfile(profile.id).transaction(async (tx) => {
    const columns = { kind: 'external_customer_id', source: profile.mark, said_at: longAgo };
    const keys = [one, other].map((customer_id) => ({
      profile_id: profile.id,
      customer_id,
      value: customer_id,
      ...columns,
    }));
    await tx.insertInto('identifiers').values(keys).execute();
    await tx
      .insertInto('merge_proposals')
      .values({ profile_id: profile.id, id, one, other, ...shared })
      .execute();
  });
  return id;
}

/** Inserts a reconciliation that found one difference and offers no repair. */
export async function buildReconciliation(kit: Kit, { id: profileId }: { readonly id: string }): Promise<string> {
  const id = uuid();
  const run = { state: 'done', is_nightly: false, date_from: '2026-01-01', date_to: '2026-01-02' };
  const times = { requested_at: longAgo, finished_at: longAgo };
  await kit.app.forProfile(profileId).transaction(async (tx) => {
    await tx
      .insertInto('reconciliations')
      .values({ profile_id: profileId, id, ...run, ...times, differences: 1, days: { currency: 'USD', books: [] } })
      .execute();
    const about = { book: 'providers', kind: 'missing_at_provider', day: '2026-01-01', currency: 'USD' };
    await tx
      .insertInto('reconciliation_differences')
      .values({ profile_id: profileId, reconciliation_id: id, number: 1, ...about, in_ledger: '1' })
      .execute();
  });
  return id;
}
