import { channelNames, type HandoffProvider, handoffProviders, limits } from '@tributary/vocabulary';
import axe from 'axe-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { searchColumns, searchDump } from '../chaos/sync-scene.ts';
import { type Consent, type ConsentShop, openConsents } from './handoffs-scene.ts';

const scene = await openConsents();
const { kit, sandbox, consent, callbackQuery, newContext, nameOf } = scene;
afterAll(() => scene.close());

interface Row extends Consent {
  /** The account to select afterwards; undefined: a single account is shared and connected directly. */
  readonly choose?: RegExp;
  /** Compares the result of the first sync in the API with the company's book. */
  readonly brought: (shop: ConsentShop) => Promise<void>;
}

const spendOf = async (shop: ConsentShop, platform: string): Promise<number> => {
  const { data } = await shop.report('/campaigns', { ...shop.days(), limit: '100' });
  const mine = (data as { platform: string; spend: number }[]).filter((one) => one.platform === platform);
  return mine.reduce((sum, { spend }) => sum + spend, 0);
};

/** Expects a provider's deal or payment in its customer's journey. */
async function expectOutcome(shop: ConsentShop, key: string, event: object): Promise<void> {
  const { status, data } = await shop.report(`/conversions/${encodeURIComponent(key)}/journey`);
  expect(status).toBe(200);
  expect(data.events).toContainEqual(expect.objectContaining(event));
}

const sum = (all: readonly number[]): number => all.reduce((total, one) => total + one, 0);

/** Every provider that is connected by a link, in the market's first currency. */
const rows: Readonly<Record<HandoffProvider, Row>> = {
  social_ads: {
    share: [/USD/],
    async brought(shop) {
      const account = sandbox.book.meta.state.accounts.find(({ currency }) => currency === 'USD');
      const days = account ? sandbox.book.meta.days(account, '2000-01-01', '2100-01-01') : [];
      expect(days.length).toBeGreaterThan(0);
      expect(await spendOf(shop, 'social_ads')).toBeCloseTo(sum(days.map(({ spend }) => Number(spend))), 2);
    },
  },
  search_ads: {
    choose: /USD/,
    async brought(shop) {
      const customer = sandbox.book.google.state.customers.find(({ currency }) => currency === 'USD');
      const days = customer ? sandbox.book.google.days(customer, 'campaign') : [];
      expect(days.length).toBeGreaterThan(0);
      const micros = sum(days.map((row) => Number(row['metrics.cost_micros'])));
      expect(await spendOf(shop, 'search_ads')).toBeCloseTo(micros / 1e6, 2);
    },
  },
  search_console: {
    choose: /^shop\.example/,
    async brought(shop) {
      const searches = sandbox.book.google.searches();
      const { data } = await shop.report('/search-terms', { ...shop.days(), limit: '100' });
      const { day } = searches[0] ?? { day: '' };
      const read = (data as Record<string, unknown>[]).filter((row) => row.day === day);
      const shown = read.map(({ query, clicks, impressions }) => ({ query, clicks, impressions }));
      expect(shown).toHaveLength(searches.length);
      expect(shown).toEqual(
        expect.arrayContaining(searches.map(({ query, clicks, impressions }) => ({ query, clicks, impressions }))),
      );
    },
  },
  crm_a: {
    share: [/Agency/],
    choose: /Santiago/,
    async brought(shop) {
      const deal = sandbox.book.highlevel.deals.find(({ status }) => status === 'won');
      await expectOutcome(shop, `crm_a:${deal?.id}:closed_won`, {
        event_type: 'closed_won',
        event_time: deal?.lastStatusChangeAt,
        value_amount: deal?.monetaryValue,
      });
    },
  },
  payments_a: {
    async brought(shop) {
      const charge = sandbox.book.stripe.state.charges.find((one) => one.captured && one.currency === 'usd');
      await expectOutcome(shop, `payments_a:${charge?.id}:payment_received`, {
        event_type: 'payment_received',
        source: 'payments_a',
        currency: 'USD',
        value_amount: (charge?.amount ?? 0) / 100,
      });
    },
  },
  payments_b: {
    async brought(shop) {
      const payment = sandbox.book.mercadoPago.payments.find(({ status }) => status === 'approved');
      await expectOutcome(shop, `payments_b:${payment?.id}:payment_received`, {
        event_type: 'payment_received',
        source: 'payments_b',
        currency: 'MXN',
        value_amount: payment?.transaction_amount,
      });
    },
  },
};

test('every registered provider with a consent page is tested here', () => {
  const withConsent = channelNames.filter((name) => scene.providers.of(name)?.connect);
  expect(Object.keys(rows).sort()).toEqual(withConsent.sort());
  expect([...handoffProviders].sort()).toEqual(withConsent);
});

/** Does the same with every provider at once, each in its own tab. */
const withEach = <T>(act: (provider: HandoffProvider) => Promise<T>): Promise<T[]> =>
  Promise.all(handoffProviders.map(act));

// The order matters: the last test searches the data of all others.
describe('one shop connects every provider', { shuffle: false }, () => {
  let shop: ConsentShop;
  beforeAll(async () => {
    shop = await scene.open();
  });

  test.each(handoffProviders)('%s: page, consent, callback, connection, first sync, numbers', async (provider) => {
    const { choose, brought, ...how } = rows[provider];
    // Tests a link that was sent to someone: in Spanish, without JavaScript, and without a return URL.
    const isSent = provider === 'crm_a';
    const handoff = await shop.handoff(provider, isSent ? {} : undefined);
    const context = await newContext(isSent ? { javaScriptEnabled: false, locale: 'es-CL' } : {});
    const page = await context.newPage();
    await page.goto(handoff.url);
    const title = `${isSent ? 'Conectar' : 'Connect'} ${nameOf(provider)}`;
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe(title);
    expect(await page.getByText(`Profile ${shop.mark}`).count()).toBe(1);
    await page.getByRole('link', { name: nameOf(provider) }).click();
    await consent(page, how);
    if (isSent) await page.getByRole('heading', { name: /Se encontraron varias cuentas/ }).waitFor();
    else
      expect(await callbackQuery(page)).toMatchObject({
        step: '2',
        status: choose ? 'pending_selection' : 'success',
        handoff_id: handoff.id,
        connect: provider,
      });
    let { status, result } = await shop.read(handoff.id);
    expect(status).toBe('completed');
    if (choose) {
      const pending = `/api/v1/connections/pending/${provider}`;
      const { data: accounts } = await shop.call('GET', pending);
      expect(accounts.length).toBeGreaterThan(1);
      const chosen = accounts.find(({ name }: { name: string }) => choose.test(name));
      const made = await shop.call('POST', `${pending}/finalize`, { candidate_id: chosen.id });
      expect(made.status).toBe(200);
      result = { connection_id: made.data.id ?? made.data.connection_id };
    } else {
      // A second click shows the same result.
      await page.goto(handoff.start_url);
      expect(await callbackQuery(page)).toMatchObject({ status: 'success' });
    }
    await context.close();
    const made = await shop.connection(result.connection_id);
    expect(made).toMatchObject({ channel: provider, status: 'connected' });
    await scene.readAll(result.connection_id);
    await brought(shop);
  });

  test('no code or token is stored in plain text: not in a table, a ClickHouse column, a cursor, a log or a metric', async () => {
    const tokens = sandbox.consents.given();
    expect(tokens.length).toBeGreaterThanOrEqual(2 * handoffProviders.length);
    const [tables, columns] = [
      await searchDump(kit.database.ownerUrl, tokens),
      await searchColumns(scene.warehouse.client, tokens),
    ];
    const written = [...scene.positions, ...scene.api.logLines, await scene.metrics.text()].join('\n');
    expect([tables.leaks, columns.leaks, tokens.filter((token) => written.includes(token))]).toEqual([0, 0, []]);
    expect(scene.positions.filter((one) => one.length > 10).length).toBeGreaterThanOrEqual(handoffProviders.length);
    expect(written.includes('tributary_request_duration_seconds')).toBe(true);
    // The search finds values that are stored.
    const [{ external_id: campaignId }] = (await shop.report('/campaigns', shop.days())).data;
    expect((await searchDump(kit.database.ownerUrl, [campaignId])).leaks).toBeGreaterThan(0);
    expect((await searchColumns(scene.warehouse.client, [campaignId])).leaks).toBeGreaterThan(0);
    expect(Math.min(tables.searched, columns.searched)).toBeGreaterThan(10);
  });
});

describe('a consent of any provider', () => {
  const endings = [
    ['cancel', { status: 'cancelled', reason: 'user_cancelled' }],
    ['deny', { status: 'failed', reason: 'provider_denied' }],
  ] as const;

  test.each(endings)('%s at the consent page', async (answer, expected) => {
    const [shop, context] = [await scene.open(), await newContext()];
    await withEach(async (provider) => {
      const handoff = await shop.handoff(provider);
      const page = await context.newPage();
      await page.goto(handoff.start_url);
      await consent(page, { answer });
      expect(await callbackQuery(page)).toMatchObject({ ...expected, connect: provider });
      const { status, result } = await shop.read(handoff.id);
      expect({ status, reason: result.reason }).toEqual(expected);
      if (provider !== 'social_ads') return;
      // A used link says so, whatever the provider.
      await page.goto(handoff.url);
      expect(await page.getByRole('alert').textContent()).toContain('used already');
      await page.getByRole('link', { name: 'Go back' }).click();
      expect(await callbackQuery(page)).toMatchObject({ status: 'failed', reason: 'handoff_used' });
    });
    expect((await shop.call('GET', '/api/v1/connections')).data).toEqual([]);
    await context.close();
  });

  test('fails when finished in another browser, and succeeds in the right one', async () => {
    const [shop, mine, other] = [await scene.open(), await newContext(), await newContext()];
    await withEach(async (provider) => {
      const handoff = await shop.handoff(provider);
      const [page, stranger] = [await mine.newPage(), await other.newPage()];
      await page.goto(handoff.start_url);
      // The consent page's URL is forwarded to another user.
      await stranger.goto(page.url());
      await consent(stranger);
      expect(await callbackQuery(stranger)).toMatchObject({ status: 'failed', reason: 'state_invalid' });
      expect((await shop.read(handoff.id)).status).toBe('pending');
      if (provider !== 'payments_a') return;
      await consent(page);
      expect(await callbackQuery(page)).toMatchObject({ status: 'success' });
    });
    await mine.close();
    await other.close();
  });

  test('expires, as does a link that is too old', async () => {
    const [shop, context] = [await scene.open(), await newContext()];
    const begun = await withEach(async (provider) => {
      const [late, old] = [await shop.handoff(provider), await shop.handoff(provider)];
      const page = await context.newPage();
      await page.goto(late.start_url);
      return { page, late, old };
    });
    scene.minutes(limits.handoff.stateMinutes);
    await Promise.all(
      begun.map(async ({ page, late }) => {
        await consent(page);
        expect(await callbackQuery(page)).toMatchObject({ status: 'failed', reason: 'state_expired' });
        expect((await shop.read(late.id)).result.reason).toBe('state_expired');
      }),
    );
    scene.minutes(limits.handoff.lifeMinutes - limits.handoff.stateMinutes);
    await Promise.all(
      begun.map(async ({ page, old }) => {
        await page.goto(old.start_url);
        expect(await callbackQuery(page)).toMatchObject({ status: 'failed', reason: 'handoff_expired' });
        expect((await shop.read(old.id)).result.reason).toBe('handoff_expired');
      }),
    );
    expect((await shop.call('GET', '/api/v1/connections')).data).toEqual([]);
    await context.close();
  });
});

test('the link page is accessible', async () => {
  const handoff = await (await scene.open()).handoff('social_ads');
  // Bypasses the content security policy, which allows no script and would block axe.
  const context = await newContext({ bypassCSP: true });
  const page = await context.newPage();
  await page.goto(handoff.url);
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() => (globalThis as never as { axe: typeof axe }).axe.run());
  expect(violations.map(({ id }) => id)).toEqual([]);
  await context.close();
});
