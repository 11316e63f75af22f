import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadSettings } from '@tributary/config';
import { createProviders } from '@tributary/providers';
import { json, type Sandbox, startSandbox } from '@tributary/sandbox';
import { type Drill, Killable, openDrillKit } from '@tributary/testkit';
import { dayMs } from '@tributary/vocabulary';
import { sql } from 'kysely';
import { buildShop, connect, connectionsOf, expireAccessToken, type Shop, searchDump } from './sync-scene.ts';

const sizes = {
  small: { shops: 2, people: 100, campaigns: 12, days: 6, payments: 150, kills: 2 },
  // With 2,700 campaigns the synced account has 5,000 ads. A first sync reads 90 days, including today.
  full: { shops: 4, people: 3_000, campaigns: 2_700, days: 89, payments: 50_000, kills: 20 },
} as const;

/**
 * Three workers sync payments and ads of some shops from the sandbox. The sandbox fails a fifth of the calls, throttles some and replaces refresh
 * tokens at every use. The workers are killed repeatedly with SIGKILL. In the end the ledger must equal the sandbox's book.
 */
export const drill: Drill = {
  name: 'sync',
  promise:
    'Each provider record is in the ledger exactly once, whichever worker is killed and whatever fails. Only a lost token requires a new consent, and no token is stored in the clear.',

  async run({ size, progress }) {
    const targets = sizes[size];
    const kit = await openDrillKit('drill-sync', ['postgres']);
    const sandbox = await startSandbox({ seed: 7, market: marketOf(targets) });
    const workers: Killable[] = [];
    try {
      for (let n = 0; n < targets.payments; n += 1) sandbox.book.stripe.pay({ amount: 100 + n, currency: 'usd' });
      const settings = { ...sandbox.settings, PROVIDER_LOCAL_HOSTS: '127.0.0.1' };
      const providers = createProviders(loadSettings(settings));
      const shops: Shop[] = [];
      for (let n = 0; n < targets.shops; n += 1) {
        const shop = await buildShop(kit);
        for (const channel of ['payments_a', 'social_ads'] as const)
          await connect(kit.app, sandbox, providers, shop, channel);
        await expireAccessToken(kit.app, shop, 'payments_a');
        shops.push(shop);
      }
      /** Logs and metrics of the workers, and every stored position of a sync that was observed. */
      const written = new Set<string>();
      fail(sandbox);
      const { appUrl, systemUrl } = kit.database;
      const script = join(import.meta.dirname, 'sync-worker.ts');
      const collect = (text: string) => void written.add(text);
      workers.push(
        ...[1, 2, 3].map(() => new Killable(script, [appUrl, systemUrl, JSON.stringify(settings)], collect)),
      );
      await Promise.all(workers.map((worker) => worker.start()));
      const expected = sandbox.book.stripe.money().charges.size * targets.shops;
      const read = async () => {
        const { rows } = await kit.owner.unbound.query(
          sql<{ outcomes: number; open: number; lost: number; positions: string[] | null }>`
            SELECT (SELECT count(*)::int FROM outcomes) AS outcomes,
              (SELECT array_agg(position::text) FROM syncs WHERE position IS NOT NULL) AS positions,
              (SELECT count(*)::int FROM syncs s JOIN connections c ON c.id = s.connection_id
               WHERE s.last_success_at IS NULL) AS open,
              (SELECT count(*)::int FROM connections WHERE status = 'reconnect_required') AS lost`,
        );
        for (const position of rows[0]?.positions ?? []) written.add(position);
        return rows[0] ?? { outcomes: 0, open: 1, lost: 0 };
      };
      let [killed, reconnects, unjust] = [0, 0, 0];
      const until = Date.now() + 20 * 60_000;
      for (;;) {
        const { outcomes, open, lost } = await read();
        progress(outcomes, expected, `${killed} killed`);
        if (open === 0 && killed >= targets.kills) break;
        if (Date.now() > until) break;
        // Makes delayed syncs due, so that the drill does not wait for the delays that providers request.
        await kit.system.unbound.query(
          sql`UPDATE syncs SET due_at = now() WHERE state <> 'idle' AND due_at < 'infinity'`,
        );
        if (lost > 0) {
          const again = await reconnectLost(kit, sandbox, providers, shops);
          reconnects += again.reconnects;
          unjust += again.unjust;
        }
        if (killed < targets.kills && outcomes >= (expected * killed) / (targets.kills + 1)) {
          const worker = workers[killed % workers.length];
          await worker?.kill();
          await worker?.start();
          killed += 1;
        }
        await sleep(250);
      }
      const compared: Awaited<ReturnType<typeof compare>>[] = [];
      for (const shop of shops) compared.push(await compare(kit, sandbox, shop));
      const sum = (name: 'payments' | 'days' | 'wrong' | 'published' | 'twice') =>
        compared.reduce((all, one) => all + one[name], 0);
      const [published, twice] = [sum('published'), sum('twice')];
      const leaks = await searchEverywhere(kit.database.ownerUrl, [...written].join('\n'), sandbox);
      return {
        passed:
          sum('wrong') === 0 &&
          twice === 0 &&
          published === expected &&
          unjust === 0 &&
          leaks.found === 0 &&
          leaks.isControlFound,
        shops: targets.shops,
        payments: sum('payments'),
        ads: compared[0]?.ads ?? 0,
        ad_days: sum('days'),
        wrong: sum('wrong'),
        told: published,
        told_twice: twice,
        kills: killed,
        reconnects_after_a_lost_token: reconnects,
        unjust_reconnects: unjust,
        tokens: leaks.tokens,
        lines_searched: leaks.searched,
        tokens_in_the_clear: leaks.found,
      };
    } finally {
      await Promise.all(workers.map((worker) => worker.kill()));
      await sandbox.close();
      await kit.close();
    }
  },
};

/** The market ended yesterday, because provider records with a time in the future are rejected. */
const marketOf = ({ people, campaigns, days }: (typeof sizes)[keyof typeof sizes]) => {
  const start = new Date(Date.now() - days * dayMs).toISOString().slice(0, 10);
  return { people, campaigns, days, start };
};

type Kit = Awaited<ReturnType<typeof openDrillKit>>;

/** Makes a fifth of the calls fail, except calls that issue tokens: a lost token response requires a new consent. */
function fail(sandbox: Sandbox): void {
  const at = /^\/(stripe\/v1\/(?!oauth)|meta\/(?!.*oauth))/;
  const often = { at, times: Number.POSITIVE_INFINITY };
  sandbox.say({ ...often, share: 0.1, reply: json(503, {}) });
  sandbox.say({ ...often, share: 0.05, answer: 'lost' });
  sandbox.say({ ...often, share: 0.05, answer: 'truncated' });
  sandbox.say({
    at: /^\/stripe\/v1\/(?!oauth)/,
    times: Number.POSITIVE_INFINITY,
    share: 0.02,
    reply: json(429, { error: { type: 'rate_limit_error' } }),
  });
}

/**
 * Searches a dump of all tables and the output of the workers for every code and token that was ever issued. As a control, the same search must
 * find a payment in the dump and a metric in the output.
 */
async function searchEverywhere(ownerUrl: string, written: string, sandbox: Sandbox) {
  const tokens = sandbox.consents.given();
  const { leaks, searched } = await searchDump(ownerUrl, tokens);
  const [charge = ''] = sandbox.book.stripe.money().charges.keys();
  const control = await searchDump(ownerUrl, [charge]);
  return {
    found: leaks + tokens.filter((token) => written.includes(token)).length,
    tokens: tokens.length,
    searched: searched + written.split('\n').length,
    isControlFound:
      control.leaks > 0 && written.includes('tributary_work_failures_total') && written.includes('"startedAt"'),
  };
}

/** Consents again where a token pair was lost, which repairs the same connection. This is justified only if the stored token was used. */
async function reconnectLost(
  { app }: Kit,
  sandbox: Sandbox,
  providers: Parameters<typeof connect>[2],
  shops: readonly Shop[],
) {
  let [reconnects, unjust] = [0, 0];
  for (const shop of shops)
    for (const { status, opened } of await connectionsOf(app, shop)) {
      if (status !== 'reconnect_required') continue;
      reconnects += 1;
      if (sandbox.consents.find(String(opened.refreshToken), 'refresh', 'stripe') !== 'used') unjust += 1;
      await connect(app, sandbox, providers, shop, 'payments_a');
    }
  return { reconnects, unjust };
}

/** Stripe's minor units have zero, two or three decimals, depending on the currency. */
const isSame = (amount: string, units: number | undefined): boolean =>
  [1, 100, 1_000].some((unit) => Math.round(Number(amount) * unit) === units);

/** Compares a shop's ledger with the book: the payments, the delivery of each ad by day, and the published events. */
async function compare({ app }: Kit, sandbox: Sandbox, shop: Shop) {
  const { charges } = sandbox.book.stripe.money();
  const ledger = app.forProfile(shop.id);
  const { rows: paid } = await ledger.transaction((tx) =>
    sql<{ id: string; amount: string }>`SELECT external_id AS id, amount FROM outcomes`.execute(tx),
  );
  const { rows: days } = await ledger.transaction((tx) =>
    sql<{ key: string; spend: string; clicks: string }>`
      SELECT e.external_id || ' ' || d.day AS key, d.spend, d.clicks FROM ad_delivery d JOIN ad_entities e
        ON e.profile_id = d.profile_id AND e.id = d.entity_id`.execute(tx),
  );
  let wrong = Math.abs(paid.length - charges.size);
  for (const { id, amount } of paid) {
    if (!isSame(amount, charges.get(id))) wrong += 1;
  }
  const account = sandbox.book.meta.state.accounts[0];
  const booked = new Map(
    (account ? sandbox.book.meta.days(account, '2000-01-01', '2100-01-01') : []).map((row) => [
      `${row.ad.id} ${row.day}`,
      row,
    ]),
  );
  wrong += Math.abs(days.length - booked.size);
  for (const { key, spend, clicks } of days) {
    const row = booked.get(key);
    if (!row || Number(row.spend) !== Number(spend) || row.clicks !== Number(clicks)) wrong += 1;
  }
  const { rows: published } = await ledger.transaction((tx) =>
    sql<{ id: string }>`SELECT payload->>'outcome_id' AS id FROM outbox WHERE type = 'outcome.recorded'`.execute(tx),
  );
  const twice = published.length - new Set(published.map(({ id }) => id)).size;
  const ads = new Set(days.map(({ key }) => key.split(' ')[0])).size;
  return { payments: paid.length, ads, days: days.length, wrong, published: published.length, twice };
}
