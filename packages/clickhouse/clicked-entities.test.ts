import { randomUUID } from 'node:crypto';
import { entityIdOf } from '@tributary/rules';
import { afterAll, expect, test } from 'vitest';
import { migrate, readMigrations } from './migrate.ts';
import { raw } from './queries.ts';
import { createScratch } from './scratch.ts';

const scratch = await createScratch();
afterAll(() => scratch.drop());
const { client, settings } = scratch;

const profileId = randomUUID();
const visit = (ids: object) =>
  client.insertLines(
    'visits',
    JSON.stringify({
      profile_id: profileId,
      visitor_id: randomUUID(),
      visit_id: randomUUID(),
      occurred_at: '2026-05-01 10:00:00.000',
      received_at: '2026-05-01 10:00:00.000',
      platform: 'search_ads',
      ...ids,
    }),
  );
const stored = () =>
  client.query(
    raw<{ entity_id: string; level: string; external_id: string }>(
      'SELECT entity_id, level, external_id FROM clicked_entities FINAL ORDER BY external_id',
    ),
    {},
  );
const entity = (level: 'campaign' | 'ad_set' | 'ad', external_id: string) => ({
  entity_id: entityIdOf(profileId, 'search_ads', level, external_id),
  level,
  external_id,
});

test('entities named by visits get the id of the rules package, also for visits from before the migration', async () => {
  await client.command(raw('DROP VIEW clicked_entities_of_visits'), {});
  await visit({ campaign_external_id: '10000001', ad_set_external_id: '10000002', ad_external_id: '10000003' });
  await visit({ campaign_external_id: '10000001' });
  await visit({ platform: '', campaign_external_id: '10000009' });
  expect(await stored()).toEqual([]);
  await client.command(
    raw("ALTER TABLE schema_migrations DELETE WHERE name LIKE '0012%' SETTINGS mutations_sync = 2"),
    {},
  );
  const own = readMigrations().find(({ name }) => name.startsWith('0012'));
  expect(await migrate(settings)).toEqual({ applied: [own?.name] });
  const before = [entity('campaign', '10000001'), entity('ad_set', '10000002'), entity('ad', '10000003')];
  expect(await stored()).toEqual(before);
  await visit({ ad_external_id: '20000001' });
  expect(await stored()).toEqual([...before, entity('ad', '20000001')]);
});
