import { conversionIdOf } from '@tributary/rules';
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clock, dayIn, longDay, moment, money, percent, words } from '../../apps/console/source/format.ts';
import { changeBudgets } from './change-budget.ts';
import { connectAccounts } from './connect-accounts.ts';
import { days, openPeopleScene, othersCount, type PeopleScene, pagesOfBusy } from './console-people-scene.ts';
import { setUpAsOwner } from './set-up-as-owner.ts';
import { askTenQuestions, keepHabits } from './ten-questions.ts';
import { accessFaults as faultsOf } from './walk.ts';
import { walkAllPages } from './walk-all-pages.ts';

let scene: PeopleScene;
beforeAll(async () => {
  scene = await openPeopleScene();
});
afterAll(() => scene?.close());

type Role = Parameters<PeopleScene['visit']>[0];
const range = { date_from: days.from, date_to: days.to };
const models = ['last_touch', 'first_touch', 'last_non_direct', 'linear', 'time_decay', 'position_based'] as const;

async function open(
  role: Role,
  screen: string,
  { profileId = scene.shop.profileId, ...options }: BrowserContextOptions & { profileId?: string } = {},
) {
  const visited = await scene.visit(role, options);
  await visited.page.goto(`${scene.baseUrl}/p/${profileId}/${screen}?${new URLSearchParams(days)}`);
  await visited.page.getByRole('heading', { level: 1 }).waitFor();
  return visited;
}

const rowsOf = (page: Page): Locator => page.locator('tbody tr');
const steps = (page: Page): Locator => page.getByRole('list', { name: 'Journey' }).getByRole('listitem');

// All tests share one shop, which takes a minute to fill. Eva is changed and finally erased, so the order matters.
describe('the console', { shuffle: false }, () => {
  describe('payments', () => {
    test('are listed with their state; an owner records and undoes a refund and assigns a payer, and others only read', async () => {
      const { page, complaints } = await open('owner', 'payments');
      await expect.poll(() => rowsOf(page).count()).toBe(50);
      await page.getByRole('button', { name: 'Show more' }).click();
      await expect.poll(() => rowsOf(page).count()).toBe(othersCount + 2);
      const row = rowsOf(page).filter({ hasText: 'eva-1' }).first();
      await row.getByRole('button', { name: 'Change' }).click();
      await page.getByLabel('Refund outside the provider, USD').fill('12.34');
      await page.getByRole('button', { name: 'Record refund' }).click();
      await expect.poll(() => row.textContent()).toContain(`${money('87.66', 'USD')}`);
      await expect.poll(() => row.textContent()).toContain('Partially refunded');
      expect(await faultsOf(page)).toEqual([]);
      await page.getByRole('button', { name: /^Undo refund of/ }).click();
      await expect.poll(() => row.textContent()).toContain('Succeeded');
      await page.getByRole('button', { name: 'Mark as later installment' }).click();
      await expect.poll(() => row.textContent()).toContain('later installment');
      await page.getByRole('button', { name: 'Not an installment' }).click();
      const entries = page.getByRole('list', { name: 'What was said of this payment' });
      await expect.poll(() => entries.getByRole('listitem').count()).toBe(4);
      expect(complaints).toEqual([]);
      await page.context().close();
      const reader = await open('analyst', 'payments');
      await expect.poll(() => rowsOf(reader.page).count()).toBe(50);
      expect(await reader.page.getByRole('button', { name: 'Change' }).count()).toBe(0);
      await reader.page.context().close();
    });
  });

  describe('customers', () => {
    test('match the API on every page, and a row opens the customer', async () => {
      const { page, complaints } = await open('analyst', 'customers');
      await page.getByRole('link', { name: 'Customers', exact: true }).waitFor();
      await expect.poll(() => rowsOf(page).count()).toBe(50);
      const { data } = await scene.api.listCustomers({ query: { ...range, goal: 'payment_received', limit: 100 } });
      expect(data).toHaveLength(othersCount + 2);
      await page.getByRole('button', { name: 'Show more' }).click();
      await expect.poll(() => rowsOf(page).count()).toBe(data.length);
      expect(await page.getByRole('button', { name: 'Show more' }).count()).toBe(0);
      const texts = await rowsOf(page).allTextContents();
      for (const [place, row] of data.entries()) {
        const parts = [row.name ?? '', row.email ?? '', moment(row.conversion_time, 'UTC'), money(row.revenue, 'USD')];
        for (const part of [...parts, money(row.total_revenue, 'USD')]) expect(texts[place]).toContain(part);
      }
      expect(await faultsOf(page)).toEqual([]);
      await page.getByRole('link', { name: 'Eva Soto' }).first().click();
      await page.getByRole('heading', { name: 'Eva Soto', level: 1 }).waitFor();
      expect(complaints).toEqual([]);
      await page.context().close();
    });

    test('are filtered by the selected goal, which is part of the URL', async () => {
      const { page, complaints } = await open('analyst', 'customers');
      await page.getByLabel('Goal').selectOption('lead_created');
      await page.getByRole('link', { name: 'Lea Rojas' }).waitFor();
      expect(await rowsOf(page).count()).toBe(1);
      expect(new URL(page.url()).searchParams.get('goal')).toBe('lead_created');
      await page.reload();
      await page.getByRole('link', { name: 'Lea Rojas' }).waitFor();
      expect(complaints).toEqual([]);
      await page.context().close();
    });

    test('are found by name, even without the goal, and the search text is not in the URL', async () => {
      const { page, complaints } = await open('analyst', 'customers');
      const search = page.getByLabel('Name, e-mail or phone');
      await search.fill('lea');
      await search.press('Enter');
      const found = page.getByRole('region', { name: 'People found' });
      await found.getByRole('link', { name: 'Lea Rojas' }).waitFor();
      await page.getByText('Nobody reached it in these days').waitFor();
      await search.fill('eva');
      await search.press('Enter');
      await expect.poll(() => rowsOf(page).count()).toBe(2);
      expect(page.url()).not.toMatch(/eva/i);
      await found.getByRole('link', { name: 'Eva Soto' }).click();
      await page.getByRole('heading', { name: 'Eva Soto', level: 1 }).waitFor();
      // Found by her key, without a conversion in the URL.
      await page.getByRole('region', { name: 'Conversions' }).getByRole('link').first().waitFor();
      expect(complaints).toEqual([]);
      await page.context().close();
    });
  });

  describe('a customer', () => {
    test('has a timeline in the order of the API, and identifiers with their source and time', async () => {
      const { customerId } = scene.eva;
      const { data: journey } = await scene.api.readCustomerJourney({ params: { id: customerId } });
      const { data: held } = await scene.api.readCustomerExport({ params: { id: customerId } });
      expect(journey.total_count).toBe(8);
      const { page, complaints } = await open('analyst', `customers/${customerId}`);
      await expect.poll(() => steps(page).count()).toBe(journey.events.length);
      const texts = await steps(page).allTextContents();
      for (const [place, event] of journey.events.entries()) {
        expect(texts[place]).toContain(clock(event.event_time, 'UTC'));
        // Each date appears once, at its first event.
        const isNewDay =
          dayIn(event.event_time, 'UTC') !==
          dayIn(journey.events[place - 1]?.event_time ?? '1970-01-01T00:00:00Z', 'UTC');
        expect(texts[place]?.startsWith(longDay(dayIn(event.event_time, 'UTC')))).toBe(isNewDay);
        if (event.currency) expect(texts[place]).toContain(money(event.value_amount, event.currency));
      }
      expect(await steps(page).evaluateAll((all) => all.map((one) => one.getAttribute('data-kind')))).toEqual(
        journey.events.map(({ value_amount: amount }) => (amount === null ? 'visit' : 'outcome')),
      );
      const glance = () => page.locator('dl[aria-label="At a glance"] > div').allTextContents();
      const conversions = journey.events.filter(({ value_amount: amount }) => amount !== null);
      await expect.poll(glance).toContainEqual(`Conversions${conversions.length}`);
      expect(await glance()).toContainEqual(`First seen${moment(journey.events[0]?.event_time ?? '', 'UTC')}`);
      const download = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Download all that is held' }).click();
      expect((await download).suggestedFilename()).toBe(`customer-${customerId}.jsonl`);
      const identity = page.getByRole('region', { name: 'Identity' });
      expect(held.identifiers.map(({ kind }) => kind).toSorted()).toEqual(['email', 'external_customer_id', 'phone']);
      for (const { kind, value, source, said_at: at } of held.identifiers) {
        const line = identity.getByRole('listitem').filter({ hasText: value });
        expect(await line.textContent()).toBe(`${value}${words(kind)}, from ${words(source)}, ${moment(at, 'UTC')}`);
      }
      await identity.getByRole('list', { name: 'Browsers' }).getByText(scene.eva.visitorId).waitFor();
      expect(await faultsOf(page)).toEqual([]);
      await page.getByRole('region', { name: 'Conversions' }).getByRole('link').last().click();
      await page.waitForURL(`**/conversions/${conversionIdOf(scene.eva.firstId)}?**`);
      expect(complaints).toEqual([]);
      await page.context().close();
    });
  });

  test('an owner creates and revokes a key, defines a goal, and shares a report by a link', async () => {
    const { page, complaints } = await open('owner', 'keys');
    await setUpAsOwner(page, scene);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('a long journey loads page by page, and contains each event once', async () => {
    const { page } = await open('analyst', `customers/${scene.busyId}`);
    await page.getByText('50 of 61, the earliest first.').waitFor();
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.getByText('61 of 61, the earliest first.').waitFor();
    expect(await page.getByRole('button', { name: 'Show more' }).count()).toBe(0);
    const titles = await steps(page)
      .locator('div > span:not([aria-hidden])')
      .evaluateAll((all) => all.map((one) => one.textContent));
    const paths = Array.from({ length: pagesOfBusy }, (_, index) => `Page /page-${index}`);
    expect(titles.slice(0, pagesOfBusy)).toEqual(paths);
    await page.context().close();
  });

  /** The touches with their shares as the table shows them. */
  const sharesIn = (page: Page): Promise<string[][]> =>
    rowsOf(page).evaluateAll((rows) =>
      rows.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent ?? '')),
    );

  describe('the journey of a conversion', () => {
    test('shows the credit of each touch under six models, and dims touches outside the lookback', async () => {
      const id = scene.eva.firstId;
      const { data } = await scene.api.readConversionJourney({ params: { id }, query: { view: 'projection' } });
      const touches = data.events as { credit: Record<string, number>; in_window: boolean }[];
      expect(touches.map(({ in_window: isInWindow }) => isInWindow)).toEqual([false, true, true, true, true]);
      const { page, complaints } = await open('analyst', `conversions/${id}`);
      await expect.poll(() => rowsOf(page).count()).toBe(touches.length);
      expect(await sharesIn(page)).toEqual(
        touches.map(({ credit }) => models.map((model) => (model in credit ? percent(credit[model] ?? 0) : '–'))),
      );
      expect(await page.locator('tfoot td').allTextContents()).toEqual(models.map(() => '100%'));
      const outside = rowsOf(page).filter({ hasText: 'outside the lookback' });
      expect(await outside.count()).toBe(1);
      expect(await outside.locator('[data-in-window=false].text-soft').count()).toBe(1);
      await page.getByText('Campaign 101').waitFor();
      // The journey contains events before the conversion and none after it.
      const { data: whole } = await scene.api.readConversionJourney({ params: { id } });
      await expect.poll(() => steps(page).count()).toBe(whole.total_count);
      expect(await faultsOf(page)).toEqual([]);
      await page.getByRole('link', { name: 'Eva Soto' }).click();
      await page.getByRole('heading', { name: 'Eva Soto', level: 1 }).waitFor();
      expect(complaints).toEqual([]);
      await page.context().close();
    });

    test('marks a synthetic touch of a conversion without a visit', async () => {
      const { page } = await open('analyst', `conversions/${scene.lea.leadId}`);
      const row = rowsOf(page).filter({ hasText: 'Synthetic touch' });
      await row.waitFor();
      expect(await row.locator('td').allTextContents()).toEqual(models.map(() => '100%'));
      await steps(page).getByText('Synthetic touch').waitFor();
      await page.context().close();
    });
  });

  describe('a role without access to customers', () => {
    /** Collects the page's requests for personal data. */
    const watch = (page: Page): string[] => {
      const requests: string[] = [];
      page.on('request', (request) => {
        if (/\/api\/v1\/customers/.test(request.url())) requests.push(request.url());
      });
      return requests;
    };

    test.each(['customers', 'customers/EVA'])('%s says so plainly, and nothing is asked', async (screen) => {
      const { page, complaints } = await scene.visit('viewer');
      const requests = watch(page);
      const path = screen.replace('EVA', scene.eva.customerId);
      await page.goto(`${scene.baseUrl}/p/${scene.shop.profileId}/${path}`);
      await page.getByText('Your role shows reports without people').waitFor();
      expect(await page.getByRole('navigation', { name: 'Pages' }).textContent()).not.toContain('Customers');
      expect(await faultsOf(page)).toEqual([]);
      expect([requests, complaints]).toEqual([[], []]);
      await page.context().close();
    });

    test('opens the journey of a conversion from its explanation, without the customer', async () => {
      const { page, complaints } = await open('viewer', 'overview');
      const requests = watch(page);
      await page.getByRole('link', { name: ': Conversions, Lead created. Explain' }).click();
      await page.getByRole('dialog').getByRole('link', { name: 'Its journey, under six models' }).click();
      await page.getByRole('heading', { name: 'Journey of a conversion' }).waitFor();
      await rowsOf(page).filter({ hasText: 'Synthetic touch' }).waitFor();
      expect(await page.locator('main').textContent()).not.toMatch(/Lea|Rojas|example\.test/);
      expect([requests, complaints]).toEqual([[], []]);
      await page.context().close();
    });

    test('a healthcare profile logs who viewed its customers', async () => {
      const { profileId } = scene.clinic;
      const viewer = await open('viewer', 'customers', { profileId });
      await viewer.page.getByText('This is a healthcare profile').waitFor();
      expect(await viewer.page.getByRole('link', { name: 'Pat Reyes' }).count()).toBe(0);
      await viewer.page.context().close();
      const analyst = await open('analyst', 'customers', { profileId });
      await analyst.page.getByRole('link', { name: 'Pat Reyes' }).waitFor();
      await analyst.page.getByText('partner apps cannot see any of this').waitFor();
      await analyst.page.context().close();
    });

    test.each(['viewer', 'analyst'] as const)('a %s does not erase', async (role) => {
      const { page } = await open(role, 'erasures');
      await page.getByText('Only owners and admins erase customers').waitFor();
      expect(await page.getByRole('button', { name: 'Continue' }).count()).toBe(0);
      await page.context().close();
    });
  });

  test('every page fits and has content, in English and Spanish, light and dark, on desktop and phone', async () => {
    const { page } = await open('owner', 'overview', { viewport: { width: 1440, height: 900 } });
    expect(await walkAllPages(page, scene)).toEqual([]);
  }, 600_000);

  test('an owner changes a profile and sees the consequences of another currency and privacy mode; others have no such page', async () => {
    const profileId = await scene.another();
    const { page, complaints } = await open('owner', 'settings', { profileId });
    const form = (name: string) => page.getByRole('form', { name });
    const save = page.getByRole('button', { name: 'Save' });
    expect(await save.isDisabled()).toBe(true);
    await page.getByLabel('Name').fill('Boutique of Ana');
    await page.getByLabel('Time zone').selectOption('America/Santiago');
    expect(await form('Profile').getByRole('status').count()).toBe(0);
    await save.click();
    // Every place with the profile's name is updated.
    await page.getByRole('button', { name: 'Profile: Boutique of Ana. Switch profile' }).waitFor();
    await expect.poll(() => save.isDisabled()).toBe(true);
    await page.getByLabel('Reporting currency').selectOption('EUR');
    await form('Profile').getByRole('status').getByText('All money is converted anew').waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Save and convert all money' }).click();
    await expect.poll(() => save.isDisabled()).toBe(true);
    await page.getByLabel('Privacy mode').selectOption('platform_safe');
    await form('Privacy').getByRole('status').getByText('they have to ask anew').waitFor();
    await page.getByRole('button', { name: 'Change privacy mode' }).click();
    const shown = async () =>
      Promise.all(
        ['Name', 'Time zone', 'Reporting currency', 'Privacy mode'].map((one) => page.getByLabel(one).inputValue()),
      );
    const expected = ['Boutique of Ana', 'America/Santiago', 'EUR', 'platform_safe'];
    await expect.poll(() => page.getByRole('button', { name: 'Change privacy mode' }).isDisabled()).toBe(true);
    await page.reload();
    await page.getByLabel('Name').waitFor();
    expect(await shown()).toEqual(expected);
    // Changing the reporting currency queues a replay for a worker.
    expect(await scene.repriced(profileId)).toBe(1);
    await page.getByLabel('Privacy mode').selectOption('standard');
    await form('Privacy').getByRole('status').getByText('if those concerned agreed').waitFor();
    expect(complaints).toEqual([]);
    await page.context().close();
    const reader = await open('analyst', 'overview');
    expect(await reader.page.getByRole('link', { name: 'Settings', exact: true }).count()).toBe(0);
    await reader.page.context().close();
  });

  test('a language is selected in the menu, is remembered, and formats numbers and dates', async () => {
    const { page, complaints } = await open('owner', 'overview', { viewport: { width: 390, height: 844 } });
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('dialog').getByLabel('Language').selectOption('Español');
    await page.getByRole('heading', { name: 'Resumen', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Menú' }).click();
    await page.getByRole('link', { name: 'Clientes', exact: true }).click();
    await page.getByRole('heading', { name: 'Clientes', level: 1 }).waitFor();
    await page.reload();
    await page.getByText('Pago recibido, lo más reciente primero').waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe('es');
    const written = new Intl.NumberFormat('es', { style: 'currency', currency: 'USD' }).format(100);
    await page.locator('main').getByText(written).first().waitFor();
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('an owner connects a store by its form, creates a link for a client and disconnects', async () => {
    const { page, complaints } = await open('owner', 'connections');
    await connectAccounts(page, scene);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('ten questions of a marketer are answered within three clicks each, and daily tasks work', async () => {
    const { page, complaints } = await open('owner', 'overview', { profileId: scene.boutique.profileId });
    await askTenQuestions(page, scene);
    await keepHabits(page, scene);
    await changeBudgets(page, scene);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  /** Last, because Eva no longer exists afterwards. */
  describe('an erasure', () => {
    const fill = async (page: Page, value: string) => {
      await page.getByLabel('E-mail', { exact: true }).fill(value);
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByRole('heading', { name: `Erase ${value} for good?` }).waitFor();
    };

    test('of an unknown customer changes nothing and says so; cancelling the confirmation sends no request', async () => {
      const { page } = await open('owner', 'erasures');
      const requests: string[] = [];
      page.on('request', (request) => {
        if (request.method() === 'POST') requests.push(request.url());
      });
      await fill(page, 'nobody@example.test');
      await page.getByRole('button', { name: 'Erase for good' }).click();
      expect(await page.getByRole('checkbox').evaluate((box) => box.matches(':invalid'))).toBe(true);
      await page.getByRole('button', { name: 'Back' }).click();
      expect(requests).toEqual([]);
      await fill(page, 'nobody@example.test');
      await page.getByRole('checkbox').check();
      await page.getByRole('button', { name: 'Erase for good' }).click();
      await page.getByRole('alert').getByText('Nobody in this profile is known by that').waitFor();
      expect(requests).toHaveLength(1);
      await page.context().close();
    });

    test('is confirmed, polls its receipt until it is done, and removes the customer', async () => {
      const { page, complaints } = await open('owner', 'customers');
      await page.getByRole('link', { name: 'Erase a customer' }).click();
      await page.getByRole('heading', { name: 'Erase a customer', level: 1 }).waitFor();
      expect(await faultsOf(page)).toEqual([]);
      await fill(page, 'eva@example.test');
      expect(await faultsOf(page)).toEqual([]);
      await page.getByRole('checkbox').check();
      await page.getByRole('button', { name: 'Erase for good' }).click();
      const receipt = page.getByRole('region', { name: 'Receipt' });
      await receipt.getByText('Queued: nobody finds the person any more').waitFor();
      expect(page.url()).toMatch(/receipt=[0-9a-f-]{36}/);
      expect(page.url()).not.toContain('eva');
      expect(await faultsOf(page)).toEqual([]);
      expect(await scene.completeErasures()).toBe(1);
      await receipt.getByText('Done: the person is gone from every store.').waitFor();
      expect(await receipt.textContent()).toContain('eva-1');
      expect(complaints).toEqual([]);
      await page.getByRole('link', { name: 'Erase somebody else' }).click();
      await page.getByRole('region', { name: 'Receipts' }).getByRole('link').first().waitFor();
      await page.context().close();

      const after = await open('owner', 'customers');
      await expect.poll(() => rowsOf(after.page).count()).toBe(50);
      await after.page.getByRole('button', { name: 'Show more' }).click();
      // Her payments remain, without a customer.
      await expect.poll(() => rowsOf(after.page).count()).toBe(othersCount + 2);
      expect(await after.page.locator('main').textContent()).not.toMatch(/Eva|Soto|eva@/);
      await after.page.goto(`${scene.baseUrl}/p/${scene.shop.profileId}/customers/${scene.eva.customerId}`);
      await after.page.getByRole('heading', { level: 1 }).waitFor();
      expect(await after.page.locator('main').textContent()).not.toMatch(/Eva|Soto|eva@|\+569/);
      await after.page.context().close();
    });
  });
});
