import { readFileSync } from 'node:fs';
import { recordAds } from '@tributary/domain/advertising/campaigns';
import { buildConnection, buildMarkedProfile, openTest } from '@tributary/testkit';
import { sql } from 'kysely';
import { expect, test } from 'vitest';

const { kit } = await openTest();
const file = new URL('../../../packages/postgres/migrations/0235_entity_connections.sql', import.meta.url);
const migration = readFileSync(file, 'utf8');
const backfill = migration.slice(migration.indexOf('CREATE POLICY backfill'));

/** A profile from before the migration: campaigns without a connection, and connected accounts. */
async function profileWith(accounts: readonly { externalId: string; currency: string; isOver?: boolean }[]) {
  const profile = await buildMarkedProfile(kit);
  const ids: string[] = [];
  for (const { externalId, currency, isOver } of accounts)
    ids.push(
      await buildConnection(kit, profile, {
        externalId,
        details: { currency },
        status: isOver ? 'disconnected' : 'connected',
      }),
    );
  const ledger = kit.app.forProfile(profile.id);
  const entities = ['USD', 'EUR'].map((currency) => ({
    ...{ kind: 'entity', level: 'campaign', externalId: currency, name: currency, currency },
  })) as never[];
  await ledger.transaction((tx) => recordAds(tx, profile.id, 'social_ads', entities, kit.clock.now()));
  await ledger.transaction((tx) => sql`DELETE FROM dirty_entities`.execute(tx));
  return {
    ids,
    owners: () =>
      ledger.transaction(async (tx) => {
        const found = sql<{ name: string; id: string | null; isDirty: boolean }>`
          SELECT name, connection_id AS id, EXISTS (SELECT FROM dirty_entities d WHERE d.entity_id = e.id AND d.revision = e.revision) AS "isDirty"
          FROM ad_entities e`;
        return Object.fromEntries(
          (await found.execute(tx)).rows.map(({ name, id, isDirty }) => [name, { id, isDirty }]),
        );
      }),
  };
}

test('the migration assigns earlier campaigns to the only account, or to the only one with their currency', async () => {
  const one = await profileWith([
    { externalId: 'a', currency: 'USD', isOver: true },
    { externalId: 'a', currency: 'USD' },
  ]);
  const two = await profileWith([
    { externalId: 'b', currency: 'USD' },
    { externalId: 'c', currency: 'EUR' },
  ]);
  const same = await profileWith([
    { externalId: 'd', currency: 'USD' },
    { externalId: 'e', currency: 'USD' },
  ]);
  await kit.owner.unbound.query(sql.raw(backfill) as never);
  const of = (id: string | undefined) => ({ id, isDirty: true });
  expect(await one.owners()).toEqual({ USD: of(one.ids[1]), EUR: of(one.ids[1]) });
  expect(await two.owners()).toEqual({ USD: of(two.ids[0]), EUR: of(two.ids[1]) });
  const unknown = { id: null, isDirty: false };
  expect(await same.owners()).toEqual({ USD: unknown, EUR: unknown });
});
