import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { loadSettings } from '@tributary/config';
import { syncs } from '@tributary/domain/advertising/connections/module.ts';
import { createOutbound, localDevelopmentTargets, type Outbound } from '@tributary/outbound';
import type { Postgres } from '@tributary/postgres';
import { createProviders } from '@tributary/providers';
import type { Sandbox } from '@tributary/sandbox';
import {
  alternate,
  type Bench,
  Killable,
  median,
  openDrillKit,
  processQueue,
  type Testkit,
  testOutcomeServices,
  testVault,
} from '@tributary/testkit';
import { sql } from 'kysely';
import { Agent, request } from 'undici';
import { buildShop, connect, type Shop } from '../tests/chaos/sync-scene.ts';

const payments = Number(process.env.BENCH_PAYMENTS ?? 5_000);
const rounds = 5;

/** The tables that a page of payments writes, parents first. */
const tables = ['customers', 'identifiers', 'outcomes', 'dirty_conversions', 'dirty_customers', 'outbox'] as const;

/** Reads a shop's complete payment history from a provider that responds immediately. */
export const bench: Bench = {
  name: 'sync',
  question:
    'How many payments a second does a sync read and record, to reading the same pages and inserting the same rows bare?',
  better: 'higher',

  async run({ progress }) {
    const kit = await openDrillKit('bench-sync', ['postgres']);
    const sandboxProcess = new Killable<Pick<Sandbox, 'url' | 'settings'>>(
      join(import.meta.dirname, 'sync-sandbox.ts'),
      [String(payments)],
    );
    const agent = new Agent({ connections: 1 });
    try {
      const { url, settings } = await sandboxProcess.start();
      const providers = createProviders(loadSettings({ ...settings, PROVIDER_LOCAL_HOSTS: '127.0.0.1' }));
      const outbound = createOutbound({ timeoutMs: 10_000, policy: localDevelopmentTargets });
      const pages: Page[] = [];
      const sync = async (shop: Shop, over: Outbound) => {
        await connect(kit.app, { url } as Sandbox, providers, shop, 'payments_a');
        const handler = syncs({
          ...{ app: kit.app, system: kit.system, providers, providerOutbound: over, vault: testVault },
          ...{ outcomes: testOutcomeServices, now: () => new Date(), random: Math.random },
        });
        const since = performance.now();
        await processQueue(kit.system, 'syncs', handler);
        return perSecond(since);
      };
      // Records the requested pages and the resulting rows, which the bare side then reads and writes.
      const first = await buildShop(kit);
      await sync(first, noting(outbound, pages));
      const rows = await rowsOf(kit.app, first);
      const recorded = JSON.parse(rows.outcomes ?? '[]').length as number;
      if (recorded < payments) throw new Error(`${recorded} of ${payments} payments were recorded.`);
      const sides = await alternate(
        rounds,
        async () => sync(await buildShop(kit), outbound),
        async () => {
          const shop = await buildShop(kit);
          const parts = tables.map((table) => portions(table, rows, [first.id, shop.id], pages.length));
          const since = performance.now();
          for (const [nth, page] of pages.entries()) {
            const { body } = await request(page.url, { headers: page.headers, dispatcher: agent });
            JSON.parse(await body.text());
            await insert(kit, shop, nth, parts);
          }
          return perSecond(since);
        },
        progress,
      );
      const [ours, bare] = [median(sides.ours), median(sides.bare)];
      return {
        ratio: Math.round((ours / bare) * 1_000) / 1_000,
        payments_per_second: { ours: Math.round(ours), bare: Math.round(bare) },
        payments,
        pages: pages.length,
        rounds,
      };
    } finally {
      await agent.close();
      await sandboxProcess.kill();
      await kit.close();
    }
  },
};

interface Page {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

const perSecond = (since: number): number => payments / ((performance.now() - since) / 1_000);

const noting = (outbound: Outbound, pages: Page[]): Outbound => ({
  ...outbound,
  request(url, options = {}) {
    if ((options.method ?? 'GET') === 'GET') pages.push({ url, headers: { ...options.headers } as Page['headers'] });
    return outbound.request(url, options);
  },
});

type Rows = Partial<Record<(typeof tables)[number], string>>;

async function rowsOf(app: Postgres, { id }: Shop): Promise<Rows> {
  const rows: Rows = {};
  for (const table of tables) {
    const found = await app.forProfile(id).transaction((tx) =>
      sql<{ all: string | null }>`
        SELECT json_agg(t)::text AS all FROM ${sql.table(table)} t WHERE profile_id = ${id}`.execute(tx),
    );
    rows[table] = found.rows[0]?.all ?? '[]';
  }
  return rows;
}

/** Splits the rows into as many parts as there are pages, with the other shop's ids. */
function portions(table: (typeof tables)[number], all: Rows, [from, to]: [string, string], count: number): string[] {
  const rows = JSON.parse((all[table] ?? '[]').replaceAll(from, to)) as Record<string, unknown>[];
  // Event ids are unique across all shops.
  if (table === 'outbox') for (const row of rows) row.id = randomUUID();
  const size = Math.ceil(rows.length / count);
  return Array.from({ length: count }, (_, nth) => JSON.stringify(rows.slice(nth * size, (nth + 1) * size)));
}

/** One transaction per page, as in any hand-written program that must not lose a page. */
const insert = ({ app }: Pick<Testkit, 'app'>, { id }: Shop, nth: number, parts: readonly string[][]) =>
  app
    .forProfile(id)
    .transaction((tx) =>
      Promise.all(
        tables.map((table, index) =>
          sql`INSERT INTO ${sql.table(table)} SELECT * FROM json_populate_recordset(NULL::${sql.table(table)}, ${parts[index]?.[nth] ?? '[]'}::json)`.execute(
            tx,
          ),
        ),
      ),
    );
