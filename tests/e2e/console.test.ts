import axe from 'axe-core';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Field, fields, formatFigure } from '../../apps/console/source/fields.ts';
import { channelTitle, longDay, money, ratio, signed, signedPercent, words } from '../../apps/console/source/format.ts';
import { openScene, type Scene } from './console-scene.ts';

let scene: Scene;
let session: Awaited<ReturnType<BrowserContext['storageState']>>;
beforeAll(async () => {
  scene = await openScene();
  const { page } = await scene.visit();
  await page.goto(`${scene.baseUrl}/sign-in`);
  await signIn(page);
  await page.waitForURL('**/overview?**');
  session = await page.context().storageState();
  await page.context().close();
});
afterAll(() => scene?.close());

const currency = 'USD';

const addressOf = (screen: string, search: Record<string, string> = {}) => {
  const { date_from: from, date_to: to } = scene.dates;
  return `${scene.baseUrl}/p/${scene.market.profileId}/${screen}?${new URLSearchParams({ from, to, ...search })}`;
};

async function signIn(page: Page): Promise<void> {
  await page.getByLabel('E-mail').fill(scene.email);
  await page.getByLabel('Password').fill(scene.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** A screen of the console with a signed-in session. */
async function open(screen: string, options: Parameters<Scene['visit']>[0] = {}, search: Record<string, string> = {}) {
  const visited = await scene.visit({ storageState: session, ...options });
  await visited.page.goto(addressOf(screen, search));
  await visited.page.getByRole('heading', { level: 1 }).waitFor();
  return visited;
}

/** The link of a row's figure, by its accessible name: "$12.00: Revenue, Winter sale 1. Explain". */
const figure = (page: Page, field: Field, about: string) =>
  page.getByRole('link', { name: `: ${fields[field].title}, ${about}. Explain` });

const shownFields = [
  'outcome_value',
  'spend',
  'roas',
  'outcome_count',
  'cac',
  'outcome_count_first_payment',
  'attributed_outcome_count',
] as const;

async function faultsOf(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = (await page.evaluate("axe.run({ resultTypes: ['violations'] })")) as {
    violations: { id: string; nodes: { html: string }[] }[];
  };
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`.slice(0, 400));
}

describe('signing in', () => {
  test('shows an error for a wrong password, and opens the requested page with the right one', async () => {
    const { page, complaints } = await scene.visit();
    await page.goto(addressOf('campaigns', { model: 'linear' }));
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.getByLabel('E-mail').fill(scene.email);
    await page.getByLabel('Password').fill('not the password');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').getByText('E-mail or password are not right.').waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await signIn(page);
    await page.getByRole('heading', { name: 'Campaigns', level: 1 }).waitFor();
    expect(new URL(page.url()).searchParams.get('model')).toBe('linear');
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('opens the first profile with the default dates; signing out ends the session', async () => {
    const { page, complaints } = await scene.visit();
    await page.goto(scene.baseUrl);
    await signIn(page);
    await page.waitForURL('**/overview?**');
    expect(new URL(page.url()).searchParams.get('from')).toMatch(/^\d{4}-\d\d-\d\d$/);
    await page.getByText('Nothing was spent or earned in these days').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.goto(addressOf('overview'));
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});

describe('the overview', () => {
  test('shows the figures of the API and a chart of its days', async () => {
    const { data } = await scene.api.readOverview({ query: scene.dates });
    expect(data.totals.outcome_count).toBeGreaterThan(0);
    const { page, complaints } = await open('overview');
    for (const field of [
      'outcome_value',
      'spend',
      'roas',
      'outcome_count',
      'cac',
      'attributed_outcome_count',
    ] as const) {
      await expect
        .poll(() => figure(page, field, 'all').textContent())
        .toBe(formatFigure(field, data.totals[field], currency));
    }
    for (const { channel, outcome_value: value } of data.channels)
      await page
        .getByRole('row', { name: channelTitle(channel) })
        .filter({ hasText: money(value, currency) })
        .waitFor();
    const { data: earners } = await scene.api.listCampaigns({ query: { ...scene.dates, limit: 5 } });
    const table = page.getByRole('region', { name: 'What earned most' });
    for (const { campaign_name: name, outcome_value: value } of earners)
      await table
        .getByRole('row', { name })
        .filter({ hasText: money(value, currency) })
        .waitFor();
    const { data: rest } = await scene.api.readUnattributed({ query: scene.dates });
    const earned = (data.totals.outcome_value ?? 0) - (rest.outcome_value ?? 0);
    await page.getByRole('link', { name: `${ratio(earned / (data.totals.spend ?? 1))}: Ads’ ROAS` }).waitFor();
    await page.getByRole('img', { name: 'Revenue and spend by day' }).locator('canvas').waitFor();
    await page.getByText('The same as a table').click();
    expect(await page.locator('details table tbody tr').count()).toBe(60);
    expect(await faultsOf(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});

describe('the date range', () => {
  test('is compared with the period before, the year before, or nothing', async () => {
    const query = { date_from: '2026-02-01', date_to: '2026-02-14' };
    const [now, before] = await Promise.all(
      [query, { date_from: '2026-01-18', date_to: '2026-01-31' }].map((dates) =>
        scene.api.readOverview({ query: dates }).then(({ data }) => data.totals.outcome_value ?? 0),
      ),
    );
    const { page, complaints } = await open('overview', {}, { from: query.date_from, to: query.date_to });
    const change = signedPercent(((now ?? 0) - (before ?? 0)) / (before ?? 1));
    const previousFigure = page.getByText(`from ${money(before, currency)}`);
    await previousFigure.waitFor();
    expect(await previousFigure.locator('..').textContent()).toContain(change);
    await page.getByLabel('Compared with').selectOption('No comparison');
    await expect.poll(() => previousFigure.count()).toBe(0);
    expect(new URL(page.url()).searchParams.get('compared')).toBe('none');
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('is compared on the rows of Campaigns, and only on pages that support comparison', async () => {
    const { page } = await open('campaigns', {}, { from: '2026-02-01', to: '2026-02-14' });
    await page.getByLabel('Compared with').waitFor();
    await page.getByRole('table').getByTitle('Jan 31, 2026').first().waitFor();
    for (const screen of ['platforms', 'cohorts', 'customers', 'payments', 'search-terms']) {
      await page.goto(addressOf(screen, {}));
      await page.getByRole('heading', { level: 1 }).waitFor();
      expect(await page.getByLabel('Compared with').count(), screen).toBe(0);
    }
    await page.context().close();
  });

  test('is set by typing or by a button, and is part of the URL', async () => {
    const { page, complaints } = await open('overview');
    const search = () => Object.fromEntries(new URL(page.url()).searchParams);
    await page.getByLabel('First day').focus();
    // Typing the year passes through the years 2, 20 and 202.
    await page.keyboard.type('02052026');
    await expect.poll(search).toMatchObject({ from: '2026-02-05', to: scene.dates.date_to });
    const query = { date_from: '2026-02-05', date_to: scene.dates.date_to };
    const { data } = await scene.api.readOverview({ query });
    await expect
      .poll(() => figure(page, 'outcome_value', 'all').textContent())
      .toBe(money(data.totals.outcome_value, currency));
    await page.getByLabel('Days', { exact: true }).selectOption('Last 7 days');
    await page.getByText('Nothing was spent or earned in these days').waitFor();
    expect(search().from).not.toBe('2026-02-05');
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});

describe('campaigns', () => {
  test.each(['last_touch', 'linear'] as const)(
    "under %s show the API's figures, which match the market's",
    async (model) => {
      const { data: rows } = await scene.api.listCampaigns({ query: { ...scene.dates, model, level: 'campaign' } });
      const { data: rest } = await scene.api.readUnattributed({ query: { ...scene.dates, model } });
      const { page, complaints } = await open('campaigns', {}, { model });
      expect(rows).toHaveLength(scene.market.campaigns.length);
      for (const row of rows)
        for (const field of shownFields)
          if (row[field] !== null)
            expect(await figure(page, field, row.campaign_name).textContent()).toBe(
              formatFigure(field, row[field], currency),
            );
      expect(await figure(page, 'outcome_value', 'Unattributed').textContent()).toBe(
        money(rest.outcome_value, currency),
      );
      // Computed from the market's own book, independently of the engines.
      const paid = scene.book
        .cells()
        .filter(
          (cell) => cell.model === model && cell.level === 'campaign' && cell.conversionType === 'payment_received',
        );
      for (const { campaign_id: id, campaign_name: name } of rows) {
        const cents = paid.filter(({ entityId }) => entityId === id).reduce((sum, { revenue }) => sum + revenue, 0n);
        expect(await figure(page, 'outcome_value', name).textContent()).toBe(money(Number(cents) / 100, currency));
      }
      expect(await faultsOf(page)).toEqual([]);
      expect(complaints).toEqual([]);
      await page.context().close();
    },
  );

  test('lead from a campaign to its ad sets and their ads, and back', async () => {
    const [campaign] = scene.market.campaigns;
    const [adSet] = campaign?.adSets ?? [];
    if (!campaign || !adSet) throw new Error('The market has no campaign.');
    const { page, complaints } = await open('campaigns');
    await page.getByRole('link', { name: campaign.name, exact: true }).click();
    await page.getByRole('heading', { name: 'Ad sets', level: 1 }).waitFor();
    await expect.poll(() => page.locator('tbody tr').count()).toBe(campaign.adSets.length);
    const { data: parent } = await scene.api.readAd({
      params: { id: campaign.id },
      query: { ...scene.dates, level: 'campaign' },
    });
    expect(await page.locator('tfoot').textContent()).toContain(money(parent.outcome_value, currency));
    await page.getByRole('link', { name: adSet.name, exact: true }).first().click();
    await page.getByRole('heading', { name: 'Ads', level: 1 }).waitFor();
    await expect.poll(() => page.locator('tbody tr').count()).toBe(adSet.ads.length);
    await page.getByRole('navigation', { name: 'Where you are' }).getByRole('link', { name: 'Campaigns' }).click();
    await page.getByRole('heading', { name: 'Campaigns', level: 1 }).waitFor();
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('show a row under all six models side by side', async () => {
    const [campaign] = scene.market.campaigns;
    const { page } = await open('campaigns');
    await page.getByRole('button', { name: `Six models, ${campaign?.name}` }).click();
    for (const model of [
      'last_touch',
      'first_touch',
      'last_non_direct',
      'linear',
      'time_decay',
      'position_based',
    ] as const) {
      const { data } = await scene.api.readAd({
        params: { id: campaign?.id ?? '' },
        query: { ...scene.dates, level: 'campaign', model },
      });
      const cell = figure(page, 'outcome_value', `${campaign?.name}, ${words(model)}`);
      expect(await cell.textContent()).toBe(money(data.outcome_value, currency));
    }
    // Also its daily cost and delivery.
    await page.getByRole('img', { name: `${campaign?.name}, day by day` }).waitFor();
    await page.getByRole('radio', { name: 'Clicks' }).click();
    const byDay = { ...scene.dates, level: 'campaign', entity_ids: campaign?.id ?? '' } as const;
    const day = (await scene.api.readCampaignTrend({ query: byDay })).data.find(({ clicks }) => clicks > 0);
    await page.getByText('The same as a table').click();
    const cell = figure(page, 'clicks', `${campaign?.name}, ${longDay(day?.date ?? '')}`);
    expect(await cell.textContent()).toBe(formatFigure('clicks', day?.clicks, currency));
    await page.context().close();
  });

  test('are sorted by the clicked column', async () => {
    const { page } = await open('campaigns');
    const header = page.getByRole('columnheader', { name: 'Spend' });
    await header.getByRole('button').click();
    expect(await header.getAttribute('aria-sort')).toBe('descending');
    const { data: rows } = await scene.api.listCampaigns({ query: { ...scene.dates, level: 'campaign' } });
    const names = rows.toSorted((a, b) => (b.spend ?? 0) - (a.spend ?? 0)).map(({ campaign_name: name }) => name);
    const seen = await page.locator('tbody tr').getByRole('rowheader').locator('a').allTextContents();
    expect(seen).toEqual(names);
    await page.context().close();
  });
});

describe('an explanation', () => {
  test.each([
    ['outcome_value', 'linear'],
    ['spend', 'last_touch'],
  ] as const)('of %s under %s adds up to the displayed figure', async (field, model) => {
    const [row] = (await scene.api.listCampaigns({ query: { ...scene.dates, model, level: 'campaign' } })).data;
    if (!row) throw new Error('There is no campaign.');
    const { page, complaints } = await open('campaigns', {}, { model });
    await figure(page, field, row.campaign_name).click();
    const panel = page.getByRole('dialog', { name: `${fields[field].title}, ${row.campaign_name}` });
    await panel.getByText('The figure in the report').waitFor();
    expect(await faultsOf(page)).toEqual([]);
    while (await panel.getByRole('button', { name: 'Show more' }).isVisible()) {
      const before = await panel.locator('[data-contributes]').count();
      await panel.getByRole('button', { name: 'Show more' }).click();
      await expect.poll(() => panel.locator('[data-contributes]').count()).toBeGreaterThan(before);
    }
    const parts = await panel
      .locator('[data-contributes]')
      .evaluateAll((elements) => elements.map((element) => Number(element.getAttribute('data-contributes'))));
    expect(parts.length).toBeGreaterThan(0);
    expect(parts.reduce((sum, part) => sum + part, 0)).toBeCloseTo(row[field] ?? Number.NaN, 2);
    const ledger = await panel.locator('[data-ledger] td').allTextContents();
    expect(ledger.at(-1)).toBe(money(row[field], currency));
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('is part of the URL, leads from a ratio to its parts, and returns the focus', async () => {
    const [row] = (await scene.api.listCampaigns({ query: { ...scene.dates, level: 'campaign' } })).data;
    const { page } = await open('campaigns');
    const number = figure(page, 'roas', row?.campaign_name ?? '');
    await number.focus();
    await page.keyboard.press('Enter');
    const panel = page.getByRole('dialog');
    await panel.getByText('÷ Spend').waitFor();
    await page.reload();
    await page.getByRole('dialog', { name: `ROAS, ${row?.campaign_name}` }).waitFor();
    await panel.getByRole('link', { name: /: Spend, / }).click();
    await page.getByRole('dialog', { name: `Spend, ${row?.campaign_name}` }).waitFor();
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
    expect(new URL(page.url()).searchParams.has('explain')).toBe(false);
    await number.focus();
    await page.keyboard.press('Enter');
    await panel.getByText('÷ Spend').waitFor();
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
    expect(await number.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
    await page.context().close();
  });
});

describe('platforms', () => {
  // Under linear a payment is divided between platforms, so each of them would count whole payments.
  test.each(['last_touch', 'linear'] as const)('show both counts and their gap under %s', async (model) => {
    const all = await scene.api.readPlatformComparison({ query: { ...scene.dates, model } });
    const lastDay = all.data.platforms.flatMap(({ delivery_through: through }) => through ?? []).toSorted()[0];
    // Over the dates for which both sides have data.
    const query = { ...scene.dates, date_to: lastDay ?? scene.dates.date_to, model };
    const { data } = await scene.api.readPlatformComparison({ query });
    expect(data.platforms.length).toBeGreaterThan(0);
    const { page, complaints } = await open('platforms', {}, { model });
    for (const platform of data.platforms) {
      const item = page.getByRole('listitem').filter({ hasText: words(platform.platform) });
      const text = (await item.textContent()) ?? '';
      const theirs = formatFigure('platform_conversions', platform.platform_conversions, currency);
      const ours = formatFigure('outcome_count', platform.atribu_cash_credits, currency);
      const gap = Number(platform.atribu_cash_credits) - (platform.platform_conversions ?? 0);
      expect(text).toContain(`They claim${theirs}We credit${ours}Gap${signed(gap)}`);
    }
    for (const row of data.rows)
      expect(await figure(page, 'atribu_cash_revenue', row.name).textContent()).toBe(
        money(row.atribu_cash_revenue, currency),
      );
    expect(await faultsOf(page)).toEqual([]);
    // A gap is the attributed figure minus the claimed one, row by row.
    const [first] = data.rows.filter(({ value_gap: gap }) => gap !== null);
    await figure(page, 'value_gap', first?.name ?? '').click();
    const panel = page.getByRole('dialog', { name: `${fields.value_gap.title}, ${first?.name}` });
    await panel.getByText(`− ${fields.platform_conversion_value.title}`).waitFor();
    expect(await panel.locator('[data-value]').getAttribute('data-value')).toBe(first?.value_gap);
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});

describe('top ads', () => {
  test('show each ad with its score and its reasons', async () => {
    const { data } = await scene.api.listTopPerformers({ query: { window: 'lifetime', limit: 50 } });
    const { page, complaints } = await open('top-ads', {}, { window: 'lifetime' });
    expect(data.some(({ composite_score: score, reason_codes: reasons }) => score !== null && reasons.length > 0)).toBe(
      true,
    );
    const cards = page.locator('ol > li');
    await expect.poll(() => cards.count()).toBe(data.length);
    const texts = await cards.allTextContents();
    for (const [place, ad] of data.entries()) {
      const { ad_name: name, composite_score: score, reason_codes: reasons } = ad;
      const reason = reasons.map(({ layer }) => words(layer));
      const parts = [name, score === null ? 'not scored' : `${Math.round(score)}of 100`, ...reason];
      for (const part of [...parts, money(ad.attributed_revenue, currency)]) expect(texts[place]).toContain(part);
    }
    expect(await faultsOf(page)).toEqual([]);
    const picture = cards.first().getByRole('img', { name: `Picture of ${data[0]?.ad_name}` });
    await expect.poll(() => picture.evaluate((image: { naturalWidth?: number }) => image.naturalWidth)).toBe(1);
    const window = page.getByRole('link', { name: /^Attribution window \d+/ });
    expect(await window.getAttribute('href')).toContain('/goals');
    await cards
      .first()
      .getByRole('link', { name: /: Score, / })
      .click();
    const panel = page.getByRole('dialog');
    await panel.getByRole('heading', { name: 'How it was worked out' }).waitFor();
    expect(await panel.locator('[data-value]').getAttribute('data-value')).toBe(String(data[0]?.composite_score));
    expect(await faultsOf(page)).toEqual([]);
    await panel.getByRole('link', { name: /Place by efficiency/ }).click();
    await panel.getByRole('heading', { name: /^Among \d+ ads of its kind$/ }).waitFor();
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});

describe('on a phone', () => {
  test.each(['overview', 'campaigns', 'platforms', 'top-ads'])(
    '%s fits the screen without horizontal overflow',
    async (screen) => {
      const { page, complaints } = await open(screen, { viewport: { width: 390, height: 844 }, colorScheme: 'dark' });
      await expect.poll(() => page.getByText('Loading', { exact: true }).count()).toBe(0);
      const width = await page.evaluate('document.scrollingElement.scrollWidth');
      expect(width).toBe(390);
      expect(await faultsOf(page)).toEqual([]);
      expect(complaints).toEqual([]);
      await page.context().close();
    },
  );
});
