import { openTest, scene } from '@tributary/testkit';
import { dayMs, limits } from '@tributary/vocabulary';
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { lookForAlerts } from './look-for-alerts.job.ts';

const world = await openTest();
const { kit } = world;
const since = new Date('2026-06-15T12:00:00Z');

const look = () =>
  lookForAlerts({
    app: kit.app,
    system: kit.system,
    now: kit.clock.now(),
    visitsThrough: kit.clock.now(),
    isMailSetUp: false,
    signal: new AbortController().signal,
  });

async function openStore() {
  const store = await scene(world, { scopes: ['analytics:read'] });
  const { profileId, ledger } = store;
  const write = (statement: ReturnType<typeof sql>) => ledger.transaction((tx) => statement.execute(tx));
  const ago = (days: number) => new Date(+since - days * dayMs);
  await write(sql`
    INSERT INTO sale_sources (profile_id, source, added_at)
    VALUES (${profileId}, 'api', ${ago(90)}), (${profileId}, 'payments_a', ${ago(1)})`);
  return {
    ...store,
    write,
    overlap: (columns: { isSystematic: boolean; foundAt: Date | null; noticedAt: Date | null }) =>
      write(sql`
        INSERT INTO sale_overlaps (profile_id, first_source, second_source, records, partners, is_systematic, found_at, noticed_at)
        VALUES (${profileId}, 'api', 'payments_a', 24, 24, ${columns.isSystematic}, ${columns.foundAt}, ${columns.noticedAt})`),
    open: async () =>
      (await store.ask('/api/v1/alerts')).body.data.map((alert: Record<string, string>) => [alert.kind, alert.since]),
    /** Open alerts after the job has run. */
    async looked() {
      await look();
      return this.open();
    },
  };
}

let store: Awaited<ReturnType<typeof openStore>>;
let other: Awaited<ReturnType<typeof openStore>>;
beforeEach(async () => {
  await kit.owner.unbound.query(sql`TRUNCATE alerts, alert_mails, sale_overlaps, sale_sources, sale_decisions`);
  kit.clock.set(since.toISOString());
  other = await openStore();
  store = await openStore();
});

const alert = ['duplicates_found', since.toISOString()];

describe('duplicates_found of two systematically overlapping sources', () => {
  beforeEach(async () => {
    expect(await store.looked()).toEqual([]);
    await store.overlap({ isSystematic: true, foundAt: since, noticedAt: null });
    expect(await store.looked()).toEqual([alert]);
    expect(await other.open()).toEqual([]);
    kit.clock.advance(30 * dayMs);
  });

  test.each([
    [
      'the newer source is counted once',
      sql`UPDATE sale_sources SET decision = 'count_once', decided_at = now() WHERE source = 'payments_a'`,
    ],
    [
      'the older source is decided after the overlap was found',
      sql`UPDATE sale_sources SET decision = 'count_both', decided_at = ${new Date(+since + 1)} WHERE source = 'api'`,
    ],
    ['a source is excluded', sql`UPDATE sale_sources SET excluded_from = '-infinity' WHERE source = 'api'`],
    ['a member states that the two never report the same sale', sql`UPDATE sale_overlaps SET is_never = true`],
    ['the two overlap no longer', sql`UPDATE sale_overlaps SET is_systematic = false`],
  ])('ends when %s', async (_when, statement) => {
    expect(await store.looked()).toEqual([alert]);
    await store.write(statement);
    expect(await store.looked()).toEqual([]);
  });

  test('stays open if the older source was decided earlier because of another one', async () => {
    await store.write(
      sql`UPDATE sale_sources SET decision = 'count_once', decided_at = ${new Date(+since - 1)} WHERE source = 'api'`,
    );
    expect(await store.looked()).toEqual([alert]);
  });
});

describe('duplicates_found of two sources with some duplicates', () => {
  beforeEach(async () => {
    await store.overlap({ isSystematic: false, foundAt: null, noticedAt: since });
    expect(await store.looked()).toEqual([alert]);
  });

  test('ends after some days', async () => {
    kit.clock.advance(limits.sales.noticedDays * dayMs - 1);
    expect(await store.looked()).toEqual([alert]);
    kit.clock.advance(1);
    expect(await store.looked()).toEqual([]);
  });

  test('ends with the first later decision on a match', async () => {
    const decide = (at: Date) =>
      store.write(sql`INSERT INTO sale_decisions (profile_id, first_id, second_id, decision, actor_kind, actor_id, decided_at)
        VALUES (${store.profileId}, gen_random_uuid(), gen_random_uuid(), 'confirmed', 'user', 'u', ${at})`);
    await decide(new Date(+since - 1));
    expect(await store.looked()).toEqual([alert]);
    await decide(since);
    expect(await store.looked()).toEqual([]);
  });
});
