import type { EntityLevel } from '@tributary/vocabulary';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { Clicks, healthy, merged, readConnectionFacts } from './providers-facts.ts';
import { revoked } from './providers-faults.ts';
import { plainAmount } from './providers-life.ts';
import { centsOf, type ProvidersShop, type ProvidersWorld } from './providers-world.ts';

/** A campaign, ad set or ad in a platform's book. */
interface BookedEntity {
  readonly level: EntityLevel;
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly parent: string | null;
}

interface BookedDay {
  readonly level: 'campaign' | 'ad';
  readonly id: string;
  readonly campaign: string;
  readonly day: string;
  readonly spend: string;
  readonly currency: string;
  readonly impressions: number;
  readonly clicks: number;
  readonly conversions: number | string;
  readonly value: number | string;
}

interface AdBook {
  entities(account: string): readonly BookedEntity[];
  days(account: string): readonly BookedDay[];
}

/** Google's conversion values are doubles, so sums of them differ in the twelfth digit. */
const rounded = (value: number | string): string => plainAmount(Number(Number(value).toFixed(6)));

/** The expected facts of the ledger and the reports about the ads of the connected accounts. */
function factsOfAds(book: AdBook, accounts: ReadonlyMap<string, string>, purchases: ReadonlyMap<string, number>) {
  const facts = new Map<string, string>();
  for (const [account, connection] of accounts) {
    for (const { level, id, name, status, parent } of book.entities(account))
      facts.set(`${level} ${id}`, `${name}, ${status}, in ${parent ?? 'nothing'}, by ${connection}`);
    const spent = new Map<string, number>();
    for (const row of book.days(account)) {
      const figures = `${row.impressions}, ${row.clicks}, ${rounded(row.conversions)}, ${rounded(row.value)}`;
      facts.set(`${row.level} ${row.id} on ${row.day}`, `${plainAmount(row.spend)} ${row.currency}, ${figures}`);
      spent.set(row.campaign, (spent.get(row.campaign) ?? 0) + centsOf(Number(row.spend), row.currency));
    }
    for (const [campaign, cents] of spent)
      if (cents > 0) facts.set(`report, ${connection} ${campaign}`, `${cents} cents spent`);
  }
  for (const [ad, cents] of purchases) facts.set(`report, ad ${ad}`, `${cents} cents earned`);
  return merged(facts, new Map(healthy([...accounts.values()])));
}

interface EntityRow {
  readonly level: string;
  readonly external_id: string;
  readonly name: string;
  readonly status: string | null;
  readonly parent: string | null;
  readonly connection_id: string | null;
}
interface DayRow {
  readonly level: string;
  readonly external_id: string;
  readonly day: string;
  readonly spend: string;
  readonly currency: string;
  readonly impressions: string;
  readonly clicks: string;
  readonly conversions: string | null;
  readonly value: string | null;
}

async function readAdFacts(world: ProvidersWorld, shop: ProvidersShop, accounts: ReadonlyMap<string, string>) {
  const facts = new Map<string, string>();
  const rows = async <Row>(statement: ReturnType<typeof sql<Row>>) =>
    (await shop.ledger.transaction((tx) => statement.execute(tx))).rows;
  const entities = await rows(sql<EntityRow>`
    SELECT e.level, e.external_id, e.name, e.status, p.external_id AS parent, e.connection_id
    FROM ad_entities e LEFT JOIN ad_entities p ON p.profile_id = e.profile_id AND p.id = e.parent_id`);
  for (const { level, external_id, name, status, parent, connection_id } of entities)
    facts.set(`${level} ${external_id}`, `${name}, ${status}, in ${parent ?? 'nothing'}, by ${connection_id}`);
  const days = await rows(sql<DayRow>`
    SELECT e.level, e.external_id, d.day::text, d.spend::text, d.currency, d.impressions, d.clicks, d.conversions::text,
      d.conversion_value::text AS value
    FROM ad_delivery d JOIN ad_entities e ON e.profile_id = d.profile_id AND e.id = d.entity_id`);
  for (const row of days) {
    const figures = `${row.impressions}, ${row.clicks}, ${rounded(row.conversions ?? 0)}, ${rounded(row.value ?? 0)}`;
    facts.set(`${row.level} ${row.external_id} on ${row.day}`, `${plainAmount(row.spend)} ${row.currency}, ${figures}`);
  }
  for (const connection of accounts.values()) {
    for (const row of await pagesOf(shop, { level: 'campaign', connection_id: connection })) {
      const cents = Math.round((row.spend ?? 0) * 100);
      if (cents > 0) facts.set(`report, ${connection} ${row.external_id}`, `${cents} cents spent`);
    }
  }
  for (const row of await pagesOf(shop, { level: 'ad' }))
    if ((row.outcome_value ?? 0) > 0)
      facts.set(`report, ad ${row.external_id}`, `${Math.round((row.outcome_value ?? 0) * 100)} cents earned`);
  return merged(facts, await readConnectionFacts(world, [...accounts.values()]));
}

interface ReportRow {
  readonly external_id: string;
  readonly spend: number | null;
  readonly outcome_value: number | null;
}

async function pagesOf(shop: ProvidersShop, query: Record<string, string>): Promise<ReportRow[]> {
  const all: ReportRow[] = [];
  for (let cursor: string | undefined; ; ) {
    const { data, pagination } = await shop.report('/campaigns', { limit: '100', ...query, ...(cursor && { cursor }) });
    all.push(...data);
    if (!pagination.has_next) return all;
    cursor = pagination.cursor;
  }
}

/** Opens what the simulated lives of both ad platforms share. */
export async function openAdvertiser(
  world: ProvidersWorld,
  book: AdBook,
  channel: 'social_ads' | 'search_ads',
  of: string,
) {
  const shop = await world.open();
  const clicks = new Clicks(world, shop);
  const accounts = new Map<string, string>();
  const connections: string[] = [];
  const purchases = new Map<string, number>();
  const connect = async (account: string, shared: readonly string[] = [account]) => {
    const id = await shop.consent(channel, account, shared);
    if (!accounts.has(account)) connections.push(id);
    accounts.set(account, id);
  };
  let bought = 0;
  const { consents } = world.sandboxOf(channel);
  return {
    shop,
    accounts,
    connections,
    connect,
    revoke: () =>
      revoked(shop, { accounts, revoke: (account) => consents.revokeAll(of, account), connect }, () => undefined),
    /** Invalidates all tokens with this prefix. */
    expire: (prefix: string) =>
      revoked(
        shop,
        {
          accounts,
          revoke: () => {
            for (const token of consents.given()) if (token.startsWith(prefix)) consents.forget(token);
          },
          connect,
        },
        () => undefined,
      ),
    /** A customer who clicked an ad buys; the shop's own server reports it. */
    async buyAfter(ad: { readonly ad: string; readonly adSet: string; readonly campaign: string }): Promise<void> {
      bought += 1;
      const email = `${of}.${bought}@example.com`;
      await clicks.click(email, { platform: channel, ...ad });
      await shop.post('/api/v1/events', {
        event_name: 'payment_received',
        idempotency_key: uuid(),
        occurred_at: world.now().toISOString(),
        properties: { value: `${40 + bought}.25`, currency: 'USD' },
        user_traits: { email },
      });
      purchases.set(ad.ad, (purchases.get(ad.ad) ?? 0) + (40 + bought) * 100 + 25);
    },
    life: {
      channel,
      profileId: shop.profileId,
      connections,
      expected: () => factsOfAds(book, accounts, purchases),
      async actual() {
        await clicks.link();
        await shop.settle();
        return readAdFacts(world, shop, accounts);
      },
    },
  };
}

/** Cycles through the entities, so that a repeated event affects another one. */
export const nextOf = <T>(all: () => readonly T[]): (() => T) => {
  let n = 0;
  return () => {
    const found = all()[(n * 5 + 1) % all().length] as T;
    n += 1;
    return found;
  };
};
