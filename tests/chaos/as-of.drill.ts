import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClickHouse, erasePeople, migrate, raw } from '@tributary/clickhouse';
import { copyDelivery } from '@tributary/domain/advertising/campaigns/module.ts';
import { saveRates } from '@tributary/domain/commerce/money/module.ts';
import { createPostgres } from '@tributary/postgres';
import { conversionIdOf, entityIdOf, subtractAmounts, sumAmounts } from '@tributary/rules';
import { buildApiKey, buildProfile, type Drill, Killable, openApi, openDrillKit } from '@tributary/testkit';
import {
  attributionModelNames,
  type CauseKind,
  causeKinds,
  dayMs,
  hourMs,
  limits,
  minuteMs,
  namesOf,
  rowFields,
} from '@tributary/vocabulary';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { inTurn } from './in-turn.ts';
import { adNames, randomChanges } from './random-changes.ts';

const sizes = {
  small: { people: 60, changes: 150, marks: 3, kills: 1, pairs: 5, models: ['last_touch', 'linear'] },
  full: { people: 5_000, changes: 40_000, marks: 80, kills: 20, pairs: 1_000, models: attributionModelNames },
} as const;
/** Concurrency of changes and of queries. Each spends most of its time waiting for an engine. */
const changesAtOnce = 8;
const queriesAtOnce = 4;
const range = { date_from: '2026-01-01', date_to: '2026-03-31' };
const lastDayOf = (month: string) => new Date(Date.UTC(2026, Number(month.slice(5)), 0)).toISOString().slice(0, 10);

interface Mark {
  readonly at: string;
  readonly seen: ReadonlyMap<string, string>;
  /** A payment that was changed between the previous mark and this one, and the expected cause. */
  readonly planted: { readonly conversionId: string; readonly cause: string } | undefined;
}

/**
 * Makes random changes while the worker and ClickHouse are killed. At each mark, waits until attribution has settled and stores every report. At the
 * end, compares each report as of each mark with the stored one, and checks the explained causes of changes between two marks.
 */
export const drill: Drill = {
  name: 'as-of',
  promise:
    'A report as of a past moment always equals the report that was shown then, and every change equals the sum of its causes.',

  async run({ size, progress }) {
    const { people, changes, marks: wanted, kills, pairs, models } = sizes[size];
    const kit = await openDrillKit('drill-as-of', ['postgres', 'redis', 'clickhouse']);
    const settings = { ...kit.clickhouse, database: 'as_of', requestTimeoutMs: 60_000 };
    await migrate(settings);
    const clickhouse = createClickHouse(settings);
    const app = createPostgres({ url: kit.database.appUrl, poolSize: 4 });
    const api = await openApi(kit, { clickhouse });
    const worker = new Killable(join(import.meta.dirname, 'attribution-worker.ts'), [
      kit.database.appUrl,
      kit.database.systemUrl,
      settings.url,
      settings.database,
    ]);
    const pick = (count: number) => Math.floor(Math.random() * count);
    try {
      const { id: profileId } = await buildProfile(app);
      const scopes = ['attribution:write', 'goals:write', 'campaigns:read'] as const;
      const keys = await Promise.all(
        Array.from({ length: 20 }, () => buildApiKey(app, profileId, { scopes, requestsPerMinute: 100_000 })),
      );
      const { next, post, counts } = randomChanges({ app, api, clickhouse, profileId, people, keys });
      const rates = (units: string) =>
        saveRates(kit.system, 'file', [
          { day: '2026-01-01', currency: 'EUR', units, usd: '1' },
          { day: '2026-01-01', currency: 'USD', units: '1', usd: '1' },
        ]);
      await rates('0.9');
      // Touches are inserted without their visits, so the ad ids that visits would have recorded are inserted here.
      const clicked = adNames.map(
        (name) =>
          `('${profileId}', '${entityIdOf(profileId, 'social_ads', 'ad', name)}', 'social_ads', 'ad', '${name}')`,
      );
      await clickhouse.command(raw(`INSERT INTO clicked_entities VALUES ${clicked.join(', ')}`), {});
      await worker.start();

      /** Reports spend of an ad for one day: a new day, a correction, another campaign or another currency. */
      const spend = () => {
        const ad = pick(adNames.length);
        return post('/api/v1/spend', {
          rows: [
            {
              platform: 'social_ads',
              level: 'ad',
              external_id: adNames[ad],
              name: `Ad ${ad} ${pick(3)}`,
              ad_set_external_id: `set-${ad % 4}`,
              campaign_external_id: `campaign-${pick(20) === 0 ? pick(3) : ad % 3}`,
              date: new Date(Date.parse(range.date_from) + pick(80) * dayMs).toISOString().slice(0, 10),
              spend: `${pick(10_000) / 100}`,
              currency: ['USD', 'EUR'][pick(2)],
            },
          ],
        });
      };

      const waiting = async () => {
        const { rows } = await app.forProfile(profileId).transaction((tx) =>
          sql<{
            n: number;
          }>`SELECT (SELECT count(*) FROM dirty_conversions)::int + (SELECT count(*) FROM dirty_customers)::int AS n`.execute(
            tx,
          ),
        );
        return rows[0]?.n ?? 0;
      };
      const settle = async () => {
        for (let waited = 0; (await waiting()) > 0; waited += 100) {
          if (waited > 300_000) throw new Error('Attribution did not settle within five minutes.');
          await sleep(100);
        }
        while (await copyDelivery({ app, clickhouse }, profileId, 5_000));
      };

      /** Simulates a worker that dies after copying the current rows to the history, before it writes the new ones. Copies all rows. */
      const copyHistoryWithoutUpdate = () =>
        clickhouse.command(
          raw(
            `INSERT INTO attribution_history SELECT *, 1, 'refund', now64(3) FROM attributed_conversions FINAL WHERE profile_id = '${profileId}'`,
          ),
          {},
        );

      let requests = 0;
      const get = async (path: string, query: object): Promise<{ body: string; data: unknown }> => {
        requests += 1;
        const { headers } = keys[pick(keys.length)] as (typeof keys)[number];
        const url = `/api/v1${path}?${new URLSearchParams({ ...range, ...query } as Record<string, string>)}`;
        const send = () => api.fastify.inject({ method: 'GET', url, headers: { ...headers } });
        let response = await send();
        // On a busy machine a query may be rejected temporarily.
        for (let attempt = 0; response.statusCode === 503 && attempt < 20; attempt += 1) {
          await sleep(500);
          response = await send();
        }
        if (response.statusCode !== 200) throw new Error(`${url} returned ${response.statusCode}: ${response.body}`);
        return { body: response.body, data: response.json().data };
      };
      const reports = [
        ...models.flatMap((model) => [
          ['/campaigns', { model, level: 'ad', limit: 100 }] as const,
          ['/campaigns/unattributed', { model }] as const,
        ]),
        ['/campaigns', { level: 'campaign', limit: 100 }] as const,
        ['/overview', {}] as const,
      ];
      /** Flattens all reports into single figures, so that differences are counted per cell. */
      const cells = async (query: object = {}) => {
        const figures = new Map<string, string>();
        await inTurn(reports, queriesAtOnce, async ([path, own]) => {
          const walk = (value: unknown, name: string): void => {
            if (value !== null && typeof value === 'object')
              for (const [key, one] of Object.entries(value)) walk(one, `${name} ${key}`);
            else figures.set(name, String(value));
          };
          walk((await get(path, { ...own, ...query })).data, `${path} ${JSON.stringify(own)}`);
        });
        return figures;
      };
      const differ = (a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>) =>
        [...new Set([...a.keys(), ...b.keys()])].filter((name) => a.get(name) !== b.get(name));

      // Each mark has its own payment, so that no other change of it falls into the same batch.
      const plantable = Array.from({ length: wanted }, () => ({ key: uuid(), person: uuid() }));
      const plant = async (nth: number) => {
        const payment = plantable[nth];
        if (!payment) return undefined;
        const paid = {
          event_name: 'payment_received',
          idempotency_key: payment.key,
          occurred_at: '2026-02-01T12:00:00Z',
          properties: { value: '500', currency: 'USD' },
          user_traits: { email: `${payment.person}@example.test` },
        };
        // Each planted payment is either recorded, refunded or given a new amount.
        const causes = namesOf(causeKinds).slice(0, 3);
        const cause = causes[nth % causes.length] as CauseKind;
        const { outcome_event_id } = await post('/api/v1/events', paid);
        if (cause !== 'outcome_recorded') await settle();
        if (cause === 'amount_changed')
          await post('/api/v1/events', { ...paid, properties: { value: '400', currency: 'USD' } });
        if (cause === 'refund')
          await post('/api/v1/events', {
            ...paid,
            event_name: 'refund',
            idempotency_key: uuid(),
            refund_of: payment.key,
            properties: { value: '100', currency: 'USD' },
          });
        return { conversionId: conversionIdOf(outcome_event_id), cause };
      };

      const marks: Mark[] = [];
      const killed = { worker: 0, clickhouse: 0 };
      let done = 0;
      const killOne = async () => {
        if (killed.worker <= killed.clickhouse) {
          await worker.kill();
          await worker.start();
          killed.worker += 1;
        } else {
          const shard = kit.engines.shards[killed.clickhouse % kit.engines.shards.length];
          await shard?.kill('clickhouse');
          await shard?.start(['clickhouse']);
          killed.clickhouse += 1;
        }
      };
      for (let nth = 0; nth < wanted; nth += 1) {
        const until = Math.round((changes * (nth + 1)) / wanted);
        const change = async () => {
          while (done < until) {
            done += 1;
            kit.clock.set(new Date());
            if (pick(10) === 0) await spend();
            else await next().act();
            progress(done, changes, `${nth} marks, ${killed.worker} + ${killed.clickhouse} kills`);
          }
        };
        const killer = async () => {
          while (killed.worker + killed.clickhouse < Math.round((kills * 2 * (nth + 1)) / wanted)) {
            await sleep(100 + pick(400));
            await killOne();
          }
        };
        await Promise.all([...Array.from({ length: changesAtOnce }, change), killer()]);
        if (pick(4) === 0) await rates(`${0.8 + pick(20) / 100}`);
        const planted = await plant(nth);
        await settle();
        if (nth % 4 === 1) await copyHistoryWithoutUpdate();
        kit.clock.set(new Date());
        await sleep(10);
        marks.push({ at: new Date().toISOString(), seen: await cells(), planted });
        await sleep(10);
        if (nth % 4 === 3) await copyHistoryWithoutUpdate();
      }

      kit.clock.set(new Date(Date.now() + hourMs));
      const different: string[] = [];
      let compared = 0;
      for (const [nth, { at, seen }] of marks.entries()) {
        const replayed = await cells({ as_of: at });
        compared += seen.size;
        different.push(
          ...differ(seen, replayed).map(
            (name) => `${nth} ${name}: ${seen.get(name)}, as of that mark ${replayed.get(name)}`,
          ),
        );
        progress(nth + 1, marks.length, `${different.length} cells different`);
      }

      let off = 0;
      let unnamed = 0;
      const rows = (marks.at(-1)?.seen ?? new Map()).keys();
      const entities = [...new Set([...rows].filter((name) => name.endsWith(' campaign_id')).map((name) => name))];
      const idOf = (name: string) => marks.at(-1)?.seen.get(name) ?? '';
      await inTurn(Array(pairs).keys(), queriesAtOnce, async (nth) => {
        const [first, second] = [pick(marks.length), pick(marks.length)].toSorted((a, b) => a - b) as [number, number];
        if (first === second) return;
        const name = entities[pick(entities.length)] ?? '';
        const level = name.includes('"level":"ad"') ? 'ad' : 'campaign';
        const query = {
          field: rowFields[pick(rowFields.length)],
          model: attributionModelNames[pick(attributionModelNames.length)],
          from: marks[first]?.at,
          to: marks[second]?.at,
          ...(pick(5) > 0 && { level, entity_id: pick(4) === 0 ? 'unattributed' : idOf(name) }),
        };
        const { data } = await get('/changes', query);
        const { before, after, causes, unexplained } = data as {
          before: string;
          after: string;
          unexplained: string;
          causes: { difference: string }[];
        };
        const sum = sumAmounts(causes.map(({ difference }) => difference));
        if (Number(sum) !== Number(subtractAmounts(after, before)) || Number(unexplained) !== 0) off += 1;
        progress(nth + 1, pairs, `${off} sums off`);
      });
      for (const [nth, { at, planted }] of marks.entries()) {
        const before = marks[nth - 1];
        if (!before || !planted) continue;
        const changeQuery = { field: 'outcome_value', from: before.at, to: at, limit: 200, cause: planted.cause };
        const isNamed = async (cursor?: string): Promise<boolean> => {
          const { body } = await get('/changes/rows', { ...changeQuery, ...(cursor && { cursor }) });
          const { data, pagination } = JSON.parse(body);
          if (data.some(({ conversion_id }: { conversion_id: string }) => conversion_id === planted.conversionId))
            return true;
          return pagination.has_next ? isNamed(pagination.cursor) : false;
        };
        if (!(await isNamed())) unnamed += 1;
      }

      // Closed months must return byte-identical reports after changes of every kind and after all person ids are erased.
      await sleep(10);
      // Moves the clock so that the present counts as settled and later changes fall after the closing.
      kit.clock.set(new Date(Date.now() + limits.asOf.settledAfterMinutes * minuteMs));
      const closings: { month: string; as_of: string }[] = [];
      for (const month of ['2026-01', '2026-02', '2026-03'])
        closings.push((await post('/api/v1/closings', { month })) as { month: string; as_of: string });
      const named = [
        { as_of: marks[0]?.at },
        ...closings.map(({ month, as_of }) => ({ as_of, date_from: `${month}-01`, date_to: lastDayOf(month) })),
      ];
      const bytes = async () => {
        const bodies: string[] = [];
        for (const when of named)
          for (const [path, own] of reports) bodies.push((await get(path, { ...own, ...when })).body);
        return bodies;
      };
      /** Checks the `closed_value` of rows in closed months. It must equal the figure that was reported when the month was closed. */
      const checkClosedValues = async () => {
        let [checked, wrong] = [0, 0];
        for (const { month, as_of } of closings) {
          const days = { date_from: `${month}-01`, date_to: lastDayOf(month), level: 'campaign', limit: 100 };
          const rows = async (query: object) =>
            (await get('/campaigns', { ...days, ...query })).data as {
              campaign_id: string;
              outcome_value: number;
              closed_value?: number;
            }[];
          const reported = new Map((await rows({ as_of })).map((row) => [row.campaign_id, row.outcome_value ?? 0]));
          for (const { campaign_id, closed_value } of await rows({})) {
            checked += 1;
            if (closed_value !== (reported.get(campaign_id) ?? 0)) wrong += 1;
          }
        }
        return { checked, wrong };
      };
      const before = await bytes();
      await sleep(10);
      kit.clock.set(new Date());
      for (let nth = 0; nth < 20; nth += 1) await (nth % 5 === 0 ? spend() : next().act());
      await settle();
      const persons = await clickhouse.query(
        raw<{ id: string }>(
          `SELECT DISTINCT person_id AS id FROM attribution_history WHERE profile_id = '${profileId}' LIMIT 100`,
        ),
        {},
      );
      const renamed = { words: '', id: 'person_id', erasure: 'renamed' } as const;
      await erasePeople(
        settings,
        { attributed_conversions: renamed, attribution_history: renamed },
        {
          profileIds: [profileId],
          visitorIds: [],
          personIds: persons.map(({ id }) => id),
          shellIds: persons.map(() => uuid()),
        },
        new AbortController().signal,
      );
      kit.clock.set(new Date(Date.now() + dayMs));
      const after = await bytes();
      const changed = before.filter((body, nth) => body !== after[nth]).length;
      const closed = await checkClosedValues();

      return {
        passed:
          different.length === 0 &&
          off === 0 &&
          unnamed === 0 &&
          changed === 0 &&
          compared > 0 &&
          closed.wrong === 0 &&
          closed.checked > 0,
        changes: done,
        ...counts,
        marks: marks.length,
        cells: compared,
        cells_different: different.length,
        pairs,
        sums_off: off,
        planted_not_named: unnamed,
        closed_months: closings.length,
        answers_compared: before.length,
        answers_with_other_bytes: changed,
        rows_of_closed_months: closed.checked,
        rows_that_say_another_closed_value: closed.wrong,
        requests,
        worker_kills: killed.worker,
        clickhouse_kills: killed.clickhouse,
        ...(different[0] && { first: different.slice(0, 3) }),
      };
    } finally {
      await worker.kill();
      await Promise.all([clickhouse.close(), app.close(), api.close()]);
      await kit.close();
    }
  },
};
