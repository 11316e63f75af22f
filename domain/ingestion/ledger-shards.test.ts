import { createProfileByOperator, createWorkspaceByOperator } from '@tributary/domain/tenants/room.ts';
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

test('visits of profiles on several servers in one batch: each is noted beside its profile', async () => {
  const operator = operatorOf(kit);
  const workspace_id = await createWorkspaceByOperator(operator, { name: 'At home', plan: 'scale' });
  const here = await createProfileByOperator(operator, { workspace_id, name: 'Shop', privacy_mode: 'standard' });
  const { id: there } = await buildProfile(kit.app);
  const { ingestion, visit } = openPipeline(kit, warehouse.client);
  const receivedAt = kit.clock.now();
  await pipeline(ingestion)(
    [there, here].map((profileId) => delivered(messageOf({ profileId, receivedAt, visits: [visit()] }))),
  );
  const noted = async (shard: string) => {
    const owner = kit.owner.shards.get(shard);
    const found = await owner?.unbound.query(sql<{ id: string }>`SELECT profile_id AS id FROM last_visits`);
    return found?.rows.map(({ id }) => id);
  };
  expect([await noted(homeShard), await noted(farShard)]).toEqual([[here], [there]]);
});
