import { raw } from '@tributary/clickhouse';
import { createProfileByOperator, createWorkspaceByOperator } from '@tributary/domain/tenancy/tenants/module.ts';
import { moveWorkspace } from '@tributary/postgres';
import { buildProfile, farShard, openTestkit, openWarehouse, operatorOf, type Testkit } from '@tributary/testkit';
import { homeShard } from '@tributary/vocabulary';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { delivered, messageOf } from './ingestion.fixture.ts';
import { openPipeline } from './pipeline.fixture.ts';
import { pipeline } from './pipeline.ts';

let kit: Testkit;
let warehouse: Awaited<ReturnType<typeof openWarehouse>>;
beforeAll(async () => {
  kit = await openTestkit(true);
  warehouse = await openWarehouse(kit);
});
afterAll(async () => {
  await warehouse.drop();
  await kit.close();
});

test("visits of profiles on several database servers in one batch are recorded on their profile's server", async () => {
  const operator = operatorOf(kit);
  const workspace_id = await createWorkspaceByOperator(operator, { name: 'At home', plan: 'scale' });
  const here = await createProfileByOperator(operator, { workspace_id, name: 'Shop', privacy_mode: 'standard' });
  const { id: there, workspaceId } = await buildProfile(kit.app);
  const { ingestion, visit } = openPipeline(kit, warehouse.client);
  const receivedAt = kit.clock.now();
  await pipeline(ingestion)(
    [there, here].map((profileId) => delivered(messageOf({ profileId, receivedAt, visits: [visit()] }))),
  );
  const send = (profileId: string) =>
    pipeline(ingestion)([delivered(messageOf({ profileId, receivedAt: kit.clock.now(), visits: [visit()] }))]);
  const noted = async (shard: string) => {
    const owner = kit.owner.shards.get(shard);
    const found = await owner?.unbound.query(sql<{ id: string }>`SELECT profile_id AS id FROM last_visits`);
    return found?.rows.map(({ id }) => id);
  };
  expect([await noted(homeShard), await noted(farShard)]).toEqual([[here], [there]]);

  // A worker caches a profile's server. A profile missing there has moved and was not deleted.
  const asAdmin = (at: { readonly ownerUrl: string }) => at.ownerUrl.replace('tributary_owner', 'postgres');
  await moveWorkspace({
    workspaceId,
    from: { shard: farShard, url: asAdmin(kit.database) },
    to: { shard: homeShard, url: asAdmin(kit.homeDatabase as typeof kit.database) },
  });
  kit.clock.advance(3_600_000);
  await send(there);
  const stored = await warehouse.client.query(
    raw<{ n: number }>('SELECT count()::UInt32 AS n FROM visits FINAL WHERE profile_id = {there:UUID}'),
    { there },
  );
  expect(stored).toEqual([{ n: 2 }]);
  expect((await noted(homeShard))?.sort()).toEqual([here, there].sort());
});
