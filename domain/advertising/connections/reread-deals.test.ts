import { testVault } from '@tributary/testkit';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openConnections } from './connections.fixture.ts';
import { rereadDeals } from './module.ts';
import { saveConnection } from './save-connection.ts';

const { kit, toy, shop } = await openConnections('crm_a', 'payments_a');

test('remapping a stage restarts the sync of deals and replaces a run in progress', async () => {
  const { profile, ledger, connect } = await shop();
  const [crm, payments] = [await connect('crm_a'), await connect('payments_a')];
  const syncs = async () =>
    (
      await ledger.transaction((tx) =>
        sql<{ connection_id: string; position: unknown; run: string; state: string }>`
          SELECT connection_id, position, run, state FROM syncs ORDER BY connection_id`.execute(tx),
      )
    ).rows;
  await ledger.transaction((tx) =>
    sql`INSERT INTO syncs (profile_id, connection_id, channel, due_at, position, state)
      SELECT profile_id, id, channel, now() + interval '1 hour', '{"page": 7}', 'running' FROM connections`.execute(tx),
  );
  await rereadDeals(kit.app, { profileId: profile.id }, kit.clock.now());
  const [first, second] = await syncs();
  expect(first).toMatchObject({ connection_id: crm, position: null, run: '1', state: 'queued' });
  expect(second).toMatchObject({ connection_id: payments, position: { page: 7 }, run: '0', state: 'running' });
});

test('the job fails with the error of a restart, so that it is retried', async () => {
  const { profile, connect } = await shop();
  await connect('crm_a');
  const failed = rereadDeals(kit.app, { profileId: profile.id }, new Date(Number.NaN));
  await expect(failed).rejects.toThrow(/timestamp/);
});

test('a provider that reports no currency uses the profile’s, which is then kept', async () => {
  const { profile, ledger, row } = await shop();
  const providers = { of: () => toy.provider('crm_a', { assumesCurrency: true }) };
  const candidate = { externalId: 'loc', name: 'Location', granted: [], details: { companyId: 'c' } };
  const made = { profileId: profile.id, workspaceId: profile.workspaceId, appId: undefined, channel: 'crm_a' } as const;
  const saved = await ledger.transaction((tx) =>
    saveConnection(tx, { vault: testVault, providers }, { ...made, candidate, credentials: {}, now: kit.clock.now() }),
  );
  if (typeof saved === 'string') return expect.unreachable();
  expect((await row(saved.connectionId)).details).toEqual({ companyId: 'c', currency: 'USD' });
});
