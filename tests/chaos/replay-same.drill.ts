import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClickHouse, migrate, raw } from '@tributary/clickhouse';
import { replay } from '@tributary/domain/attribution/room.ts';
import { clickMarker, tombstonesUnder } from '@tributary/domain/customers';
import { spreadDefinition } from '@tributary/domain/outcomes/room.ts';
import { createPostgres } from '@tributary/postgres';
import { clickName, entityIdOf } from '@tributary/rules';
import { buildApiKey, buildProfile, type Drill, Killable, openApi, openDrillKit, testKeys } from '@tributary/testkit';
import { dayMs } from '@tributary/vocabulary';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';

const sizes = {
  small: { people: 150, changes: 600, kills: 1 },
  full: { people: 5_000, changes: 40_000, kills: 20 },
} as const;
/** Definitions change in this part of it only. */
const definedUntil = 0.5;
const start = Date.UTC(2026, 0, 1);
const hourMs = 3_600_000;

/**
 * Payments, refunds, changed times, merges, late visits, new links and changed definitions in random order, while the worker and
 * ClickHouse are killed in turn. What was worked out on the way must be what a replay of everything yields.
 */
export const drill: Drill = {
  name: 'replay-same',
  promise: 'Worked out bit by bit in any order, or all at once: the same rows, and nothing left of what was dropped.',

  async run({ size, progress }) {
    const { people, changes, kills } = sizes[size];
    const kit = await openDrillKit('drill-replay-same', ['postgres', 'redis', 'clickhouse']);
    const settings = { url: kit.clickhouseUrl, database: 'replay_same', requestTimeoutMs: 60_000 };
    await migrate(settings);
    const clickhouse = createClickHouse(settings);
    const app = createPostgres({ url: kit.database.appUrl, poolSize: 4 });
    const api = await openApi(kit);
    const worker = new Killable(join(import.meta.dirname, 'attribution-worker.ts'), [
      kit.database.appUrl,
      kit.database.systemUrl,
      settings.url,
      settings.database,
    ]);
    try {
      const { id: profileId } = await buildProfile(app);
      // Each key has an allowance of its own; together they are not in the way.
      const keys = await Promise.all(
        Array.from({ length: 20 }, () => buildApiKey(app, profileId, { scopes: ['attribution:write', 'goals:write'] })),
      );
      const ledger = app.forProfile(profileId);
      await worker.start();

      const pick = (count: number) => Math.floor(Math.random() * count);
      const post = async (url: string, payload: object) => {
        const { headers } = keys[pick(keys.length)] as (typeof keys)[number];
        const response = await api.fastify.inject({ method: 'POST', url, headers: { ...headers }, payload });
        if (response.statusCode >= 300) throw new Error(`${url} answered ${response.statusCode}: ${response.body}`);
        return response.json().data;
      };
      // Few moments, and some just within and just past the half hour in which two clicks are one.
      const moment = () => start + pick(80 * 4) * 6 * hourMs + ([0, 30, 31][pick(3)] ?? 0) * 60_000;
      const browsers = Array.from({ length: people }, () => uuid());
      const paid: { key: string; person: number }[] = [];
      const counts: Record<string, number> = {};

      /** ClickHouse may just be dead: a visit is not acknowledged before it is stored. */
      const store = async (rows: readonly object[]) => {
        for (;;) {
          try {
            return await clickhouse.insertLines('touches', rows.map((row) => JSON.stringify(row)).join('\n'));
          } catch {
            await sleep(50);
          }
        }
      };
      const acts: Record<string, { weight: number; act: () => Promise<unknown> }> = {
        pay: {
          weight: 30,
          act: () => {
            const person = pick(people);
            const key = uuid();
            paid.push({ key, person });
            // Some are told with the browser that was used, before anything is known of it or after.
            const browser = pick(6) === 0 ? { visitor_id: browsers[pick(browsers.length)] } : {};
            const said = payment(key, person, moment());
            const user_traits = { ...said.user_traits, ...browser };
            if ('visitor_id' in browser) counts.named_browser = (counts.named_browser ?? 0) + 1;
            return post('/api/v1/events', { ...said, user_traits, ...origin(pick) });
          },
        },
        refund: {
          weight: 8,
          act: async () => {
            const one = paid[pick(paid.length)];
            if (one)
              await post('/api/v1/events', {
                ...payment(one.key, one.person),
                properties: { value: String(pick(100)), currency: 'USD' },
              });
          },
        },
        move: {
          weight: 4,
          act: async () => {
            const one = paid[pick(paid.length)];
            if (one) await post('/api/v1/events', { ...payment(one.key, one.person, moment()), ...origin(pick) });
          },
        },
        merge: {
          weight: 3,
          act: () =>
            post('/api/v1/customers', {
              rows: [
                {
                  email: emailOf(pick(people)),

                  phone: `+5691${String(pick(people)).padStart(7, '0')}`,
                },
                { email: emailOf(pick(people)), external_id: `shared-${pick(people / 3)}` },
              ],
            }),
        },
        visit: {
          weight: 35,
          act: async () => {
            const rows = Array.from({ length: 1 + pick(4) }, () =>
              touch(profileId, browsers[pick(browsers.length)] as string, moment()),
            );
            await store(rows);
            await app.unbound.query(
              sql`SELECT mark_touched(${rows.map(() => profileId)}::uuid[], ${rows.map(({ visitor_id }) => visitor_id)}::uuid[], ${rows.map(({ occurred_at }) => occurred_at)}::timestamptz[])`,
            );
          },
        },
        link: {
          weight: 18,
          act: () =>
            ledger.transaction(async (tx) => {
              // As whoever links does: a merge that is under way is waited for.
              const { rows } = await sql<{ customer_id: string }>`
                WITH owner AS (
                  SELECT c.id FROM identifiers i JOIN customers c ON c.profile_id = i.profile_id AND c.id = i.customer_id
                  WHERE i.profile_id = ${profileId} AND i.kind = 'email' AND i.value = ${emailOf(pick(people))} AND c.merged_into IS NULL
                  FOR SHARE OF c)
                INSERT INTO visitor_links (profile_id, visitor_id, customer_id, source, linked_at)
                SELECT ${profileId}, ${browsers[pick(browsers.length)]}, id, 'identify', now() FROM owner
                ON CONFLICT DO NOTHING RETURNING customer_id`.execute(tx);
              await sql`
                INSERT INTO dirty_conversions (profile_id, outcome_id, cause)
                SELECT profile_id, id, 'link' FROM outcomes WHERE profile_id = ${profileId} AND customer_id = ANY (${rows.map(({ customer_id }) => customer_id)}::uuid[])
                ON CONFLICT (profile_id, outcome_id) DO UPDATE SET revision = nextval('dirty_revision')`.execute(tx);
            }),
        },
        define: {
          weight: 0.2,
          act: async () => {
            await post('/api/v1/goals/definitions', {
              name: 'Payments',
              conversion_key: 'payment_received',
              event_names: ['payment_received'],
              lookback_window_days: [7, 30, 90][pick(3)],
            });
            await spreadDefinition(app, { profileId, eventKeys: ['payment_received'] }, new AbortController().signal);
          },
        },
      };
      const total = Object.values(acts).reduce((sum, { weight }) => sum + weight, 0);
      const next = () => {
        let left = Math.random() * total;
        for (const [name, { weight, act }] of Object.entries(acts)) {
          left -= weight;
          if (left < 0) return { name, act };
        }
        return { name: 'pay', act: acts.pay?.act ?? (async () => {}) };
      };

      let done = 0;
      const change = async () => {
        while (done < changes) {
          const { name, act } = next();
          // It makes every conversion dirty, and so hides whatever somebody forgot to: the later part goes without.
          if (name === 'define' && done > changes * definedUntil) continue;
          done += 1;
          counts[name] = (counts[name] ?? 0) + 1;
          await act();
          progress(done, changes, `${killed.worker} + ${killed.clickhouse} kills`);
        }
      };
      const killed = { worker: 0, clickhouse: 0 };
      const killer = async () => {
        while (killed.worker + killed.clickhouse < kills * 2 && done < changes) {
          await sleep(20);
          if (done / changes < (killed.worker + killed.clickhouse + 0.5) / (kills * 2 + 1)) continue;
          if (killed.worker <= killed.clickhouse) {
            await worker.kill();
            await worker.start();
            killed.worker += 1;
          } else {
            await kit.engines.supervisor.kill('clickhouse');
            await kit.engines.supervisor.start(['clickhouse']);
            killed.clickhouse += 1;
          }
        }
      };
      await Promise.all([change(), change(), change(), killer()]);

      const left = async () =>
        Number(
          (
            await ledger.transaction((tx) =>
              sql<{
                n: string;
              }>`SELECT (SELECT count(*) FROM dirty_conversions) + (SELECT count(*) FROM dirty_customers) AS n`.execute(
                tx,
              ),
            )
          ).rows[0]?.n,
        );
      for (let waited = 0; (await left()) > 0 && waited < 300_000; waited += 200) await sleep(200);
      const undone = await left();
      await worker.kill();

      const read = async () =>
        new Map(
          (
            await clickhouse.query(
              raw<{ conversion_id: string }>(
                `SELECT * EXCEPT (version, cause, cause_ref, applied_at) FROM attributed_conversions FINAL WHERE profile_id = '${profileId}' ORDER BY conversion_time, conversion_id`,
              ),
              {},
            )
          ).map((row) => [row.conversion_id, JSON.stringify(row)] as const),
        );
      const replayed = async (buckets: number) => {
        await replay(
          { app, clickhouse },
          {
            profileId,
            cause: 'drill',
            now: () => new Date(Date.now() + 10 * dayMs),
            signal: new AbortController().signal,
            buckets,
          },
        );
        return read();
      };
      const incremental = await read();
      const once = await replayed(5);
      const twice = await replayed(2);
      const differ = (a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>) =>
        [...new Set([...a.keys(), ...b.keys()])].filter((id) => a.get(id) !== b.get(id));
      const different = differ(incremental, once);

      // A definition that no longer counts: nothing may be left.
      await ledger.transaction((tx) => sql`UPDATE definitions SET is_attribution_eligible = false`.execute(tx));
      const dropped = (await replayed(3)).size;
      return {
        passed:
          undone === 0 &&
          different.length === 0 &&
          differ(once, twice).length === 0 &&
          dropped === 0 &&
          incremental.size > 0,
        changes: done,
        ...counts,
        conversions: incremental.size,
        with_touches: [...incremental.values()].filter((row) => !row.includes('"touch_count":0,')).length,
        different_from_replay: different.length,
        replays_differ: differ(once, twice).length,
        left_of_dropped: dropped,
        worker_kills: killed.worker,
        clickhouse_kills: killed.clickhouse,
        ...(different[0] && {
          first: { incremental: incremental.get(different[0]), replayed: once.get(different[0]) },
        }),
      };
    } finally {
      await worker.kill();
      await Promise.all([clickhouse.close(), app.close(), api.close()]);
      await kit.close();
    }
  },
};

const emailOf = (person: number) => `person-${person}@example.test`;

/** Half of the payments name the ad, the chat's click or both; sent again, others or none. */
const origin = (pick: (count: number) => number) => ({
  ...(pick(3) === 0 && { ad_id: adName(pick(9)) }),
  ...(pick(3) === 0 && { click_ids: { [pick(4) === 0 ? 'fbclid' : 'ctwa_clid']: clickId(pick(40)) } }),
});
const adName = (number: number) => `12000000${number}`;
const clickId = (number: number) => `click-${number}`;

const payment = (key: string, person: number, at?: number) => ({
  event_name: 'payment_received',
  idempotency_key: key,
  ...(at !== undefined && { occurred_at: new Date(at).toISOString() }),
  properties: { value: '123.45', currency: 'USD' },
  user_traits: { email: emailOf(person) },
});

/** Some visits came from the ads and by the clicks that payments name. */
const touch = (profileId: string, visitorId: string, at: number) => ({
  ...(Math.random() < 0.3 && {
    ad_id: entityIdOf(profileId, 'social_ads', 'ad', adName(Math.floor(Math.random() * 9))),
  }),
  ...(Math.random() < 0.4 && {
    click_id_kind: 'ctwa_clid',
    click_mark: clickMarker(
      tombstonesUnder(testKeys.tombstoneKey),
      profileId,
    )(clickName('ctwa_clid', clickId(Math.floor(Math.random() * 40)))),
  }),
  profile_id: profileId,
  visitor_id: visitorId,
  occurred_at: new Date(at).toISOString(),
  touch_id: uuid(),
  session_id: `00000000-0000-7000-8000-00000000000${Math.floor(Math.random() * 9)}`,
  channel: ['direct', 'email', 'paid_social'][Math.floor(Math.random() * 3)],
  source: 'facebook',
});
