import { json } from '@tributary/sandbox';
import { dayMs } from '@tributary/vocabulary';
import { sql } from 'kysely';
import { searchError } from '../../apps/sandbox/google/search-console.ts';
import { healthy, merged, readConnectionFacts } from './providers-facts.ts';
import { cutOff, outage, revoked, throttled } from './providers-faults.ts';
import { type Facts, type Life, plainAmount } from './providers-life.ts';
import type { Seller } from './providers-payments.ts';
import { dayOf, type ProvidersWorld } from './providers-world.ts';

const [site, domain] = ['https://shop.example/', 'sc-domain:shop.example'] as const;
/** The days that a first sync reads, including today. */
const firstDays = 90;

export async function openSearchConsole(world: ProvidersWorld): Promise<Life> {
  const { google } = world.ads;
  const shop = await world.open();
  const { consents } = world.sandboxOf('search_console');
  const sites = new Map<string, string>();
  const connectedAt = new Map<string, number>();
  const connections: string[] = [];
  const connect = async (account: string) => {
    const id = await shop.consent('search_console', account);
    if (!sites.has(account)) {
      connections.push(id);
      connectedAt.set(account, world.now().getTime());
    }
    sites.set(account, id);
  };
  const lastDay = () => google.searches()[0]?.day ?? '';
  const api = {
    path: /^\/google\/webmasters\/v3\/sites\/.+\/searchAnalytics/,
    throttle: searchError(403, 'rateLimitExceeded', 'Rate Limit Exceeded'),
    outage: json(500, { error: { code: 500, message: 'Backend Error', errors: [{ reason: 'backendError' }] } }),
  };
  return {
    name: 'Search Console',
    channel: 'search_console',
    profileId: shop.profileId,
    connections,
    expected() {
      const facts = new Map<string, string>();
      for (const [account, id] of sites) {
        const from = (connectedAt.get(account) ?? 0) - (firstDays - 1) * dayMs;
        for (let at = from; dayOf(at) <= lastDay(); at += dayMs)
          for (const row of google.searches(dayOf(at)))
            facts.set(
              `${id} ${row.day} ${row.query} ${row.page}`,
              `${row.clicks} of ${row.impressions}, at ${plainAmount(row.position)}`,
            );
      }
      return merged(facts, new Map(healthy(connections)));
    },
    async actual() {
      const facts = new Map<string, string>();
      for (let cursor: string | undefined; ; ) {
        const query = {
          date_from: dayOf(world.now().getTime() - 365 * dayMs),
          limit: '1000',
          ...(cursor && { cursor }),
        };
        const { data, pagination } = await shop.report('/search-terms', query);
        for (const row of data)
          facts.set(
            `${row.connection_id} ${row.day} ${row.query} ${row.page}`,
            `${row.clicks} of ${row.impressions}, at ${plainAmount(row.position)}`,
          );
        if (!pagination.has_next) break;
        cursor = pagination.cursor;
      }
      return merged(facts, await readConnectionFacts(world, connections));
    },
    events: {
      consent: () => connect(site),
      'first sync': () => undefined,
      'new records': () => undefined,
      // Search Console corrects final days for a few more days.
      restated: () => {
        google.restateSearches(lastDay());
        google.restateSearches(dayOf(Date.parse(lastDay()) - 2 * dayMs));
      },
      'token expired': () => undefined,
      'revoked, reconnected': () =>
        revoked(
          shop,
          { accounts: sites, revoke: (account) => consents.revokeAll('google', account), connect },
          () => undefined,
        ),
      outage: () => outage(world, 'search_console', api, () => undefined),
      throttled: () => throttled(world, 'search_console', api, () => undefined),
      'page cut off': () => cutOff(world, 'search_console', api, () => undefined),
      'second account': async () => {
        if (!sites.has(domain)) await connect(domain);
      },
      'a month passes': () => undefined,
    },
  };
}

/** Reads the chats in the ledger and the reports. Their outcomes have an idempotency key of the app and no external id. */
export async function readChats(world: ProvidersWorld, { shop }: Seller, ids: readonly string[]): Promise<Facts> {
  await shop.settle();
  const { rows } = await shop.ledger.transaction((tx) =>
    sql<{ key: string; type: string }>`
      SELECT idempotency_key AS key, event_key AS type FROM outcomes`.execute(tx),
  );
  const facts = new Map(rows.map(({ key, type }) => [`outcome ${key}`, type]));
  const events = await shop.ledger.transaction((tx) =>
    sql<{ count: number }>`SELECT count(*)::int AS count FROM outbox WHERE type = 'outcome.recorded'`.execute(tx),
  );
  facts.set('events', String(events.rows[0]?.count ?? 0));
  const rest = (await shop.report('/campaigns/unattributed')).data.attributed_outcomes_by_type;
  facts.set('report, messaging_started', String(rest.messaging_started ?? 0));
  return merged(facts, await readConnectionFacts(world, ids));
}
