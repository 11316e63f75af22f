import { setTimeout as sleep } from 'node:timers/promises';
import type { ClickHouse } from '@tributary/clickhouse';
import { clickMarker, tombstonesUnder } from '@tributary/domain/commerce/customers';
import { spreadDefinition } from '@tributary/domain/commerce/outcomes/module.ts';
import type { Postgres } from '@tributary/postgres';
import { clickName, entityIdOf } from '@tributary/rules';
import { type TestApi, testKeys } from '@tributary/testkit';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';

const start = Date.UTC(2026, 0, 1);
const hourMs = 3_600_000;

interface Scene {
  readonly app: Postgres;
  readonly api: Pick<TestApi, 'fastify'>;
  readonly clickhouse: ClickHouse;
  readonly profileId: string;
  readonly people: number;
  /** Each key has a rate limit of its own. Together the limits are high enough for the drill. */
  readonly keys: readonly { readonly headers: Readonly<Record<string, string>> }[];
}

/** Draws random changes: payments, changed amounts and times, merges, late visits, new links and changed definitions. */
export function randomChanges({ app, api, clickhouse, profileId, people, keys }: Scene) {
  const ledger = app.forProfile(profileId);
  const pick = (count: number) => Math.floor(Math.random() * count);
  const post = async (url: string, payload: object) => {
    const { headers } = keys[pick(keys.length)] as (typeof keys)[number];
    const response = await api.fastify.inject({ method: 'POST', url, headers: { ...headers }, payload });
    if (response.statusCode >= 300) throw new Error(`${url} answered ${response.statusCode}: ${response.body}`);
    return response.json().data;
  };
  // Few distinct moments, some just within and just past the half hour in which two clicks count as one.
  const moment = () => start + pick(80 * 4) * 6 * hourMs + ([0, 30, 31][pick(3)] ?? 0) * 60_000;
  const browsers = Array.from({ length: people }, () => uuid());
  const paid: { key: string; person: number }[] = [];
  const counts: Record<string, number> = {};

  /** Retries while ClickHouse is down, because a visit is not acknowledged before it is stored. */
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
        // Some payments name the browser that was used, before or after its first visit is stored.
        const browser = pick(6) === 0 ? { visitor_id: browsers[pick(browsers.length)] } : {};
        const event = payment(key, person, moment());
        const user_traits = { ...event.user_traits, ...browser };
        if ('visitor_id' in browser) counts.named_browser = (counts.named_browser ?? 0) + 1;
        return post('/api/v1/events', { ...event, user_traits, ...origin(pick) });
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
          // Locks the customer like the product does when it links, so that it waits for a concurrent merge.
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
  const drawn = () => {
    let left = Math.random() * total;
    for (const [name, { weight, act }] of Object.entries(acts)) {
      left -= weight;
      if (left < 0) return { name, act };
    }
    return { name: 'pay', act: acts.pay?.act ?? (async () => {}) };
  };
  return {
    counts,
    post,
    next() {
      const { name, act } = drawn();
      return {
        name,
        act: async () => {
          counts[name] = (counts[name] ?? 0) + 1;
          await act();
        },
      };
    },
  };
}

const emailOf = (person: number) => `person-${person}@example.test`;

/** About half of the payments name an ad, the click of a chat or both. A repeated payment names others or none. */
const origin = (pick: (count: number) => number) => ({
  ...(pick(3) === 0 && { ad_id: adNames[pick(adNames.length)] }),
  ...(pick(3) === 0 && { click_ids: { [pick(4) === 0 ? 'fbclid' : 'ctwa_clid']: clickId(pick(40)) } }),
});
export const adNames = Array.from({ length: 9 }, (_, number) => `12000000${number}`);
const clickId = (number: number) => `click-${number}`;

const payment = (key: string, person: number, at?: number) => ({
  event_name: 'payment_received',
  idempotency_key: key,
  ...(at !== undefined && { occurred_at: new Date(at).toISOString() }),
  properties: { value: '123.45', currency: 'USD' },
  user_traits: { email: emailOf(person) },
});

/** Some visits have the ads and clicks that payments name. */
const touch = (profileId: string, visitorId: string, at: number) => ({
  ...(Math.random() < 0.3 && {
    ad_id: entityIdOf(profileId, 'social_ads', 'ad', adNames[Math.floor(Math.random() * adNames.length)] as string),
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
