import { afterAll, beforeAll, expect, test } from 'vitest';
import { sharedInstallation } from './shared-installation.ts';
import { openShopServer } from './shop-server.ts';
import { createTag, openSite, pageWith, type Site, visitSite } from './site.ts';

let site: Site;
beforeAll(async () => {
  site = await openSite();
});
afterAll(() => site?.close());

test('an analyst finds a customer and reads the journey from the ad to the payment', async () => {
  const installation = await sharedInstallation();
  const workspace = await installation.openWorkspace();
  const server = await openShopServer(installation, workspace);
  site.html = pageWith(await createTag(workspace.owner.page, workspace));
  const { page, step, complaints } = await workspace.member('analyst');
  const steps = page.getByRole('list', { name: 'Journey' }).getByRole('listitem');

  await step('A visitor comes by an ad and buys', async () => {
    await visitSite(
      installation,
      `${site.origin}/shoes?utm_source=google&utm_medium=cpc&utm_campaign=Boots&gclid=test-click-1`,
      `tributary('identify', { email: 'mia.reyes@example.com' })`,
    );
    await server.send({
      event_name: 'payment_received',
      properties: { value: '75.00', currency: 'USD' },
      user_traits: {
        email: 'mia.reyes@example.com',
        first_name: 'Mia',
        last_name: 'Reyes',
        external_id: 'customer-77',
      },
    });
  });

  await step('Find the customer by name', async () => {
    await page.goto(workspace.url('customers'));
    const found = page.getByRole('region', { name: 'People found' });
    await page.getByLabel('Name, e-mail or phone').fill('reyes');
    await page.getByRole('button', { name: 'Find', exact: true }).click();
    await found.getByText('1 conversion, $75.00').waitFor();
    expect(page.url()).not.toContain('reyes');
    await found.getByRole('link', { name: 'Mia Reyes' }).click();
    await page.getByRole('heading', { name: 'Mia Reyes', level: 1 }).waitFor();
  });

  await step('Read the journey', async () => {
    const whole = async () => {
      await page.reload();
      await steps.first().waitFor();
      return steps.evaluateAll((all) => all.map((one) => one.getAttribute('data-kind')));
    };
    await expect.poll(whole).toEqual(['visit', 'visit', 'outcome']);
    await steps.first().getByText('Paid search').waitFor();
    await steps.last().getByText('$75.00').waitFor();
  });

  await step('The summary names what was paid and what brought the customer', async () => {
    const facts = page.locator('dl[aria-label="At a glance"] > div');
    await expect
      .poll(() => facts.allTextContents())
      .toEqual([
        'Paid, before refunds$75.00',
        'Conversions1',
        'First came byPaid search',
        'Last came byPaid search',
        expect.stringMatching(/^First seen/),
      ]);
    const identifiers = page.getByRole('list', { name: 'Known by' });
    await identifiers.getByText('mia.reyes@example.com').waitFor();
    await identifiers.getByText('customer-77').waitFor();
  });

  await step('Open what earned the payment', async () => {
    await page.getByRole('region', { name: 'Conversions' }).getByRole('link').click();
    await page.getByRole('heading', { name: 'Journey of a conversion' }).waitFor();
    const touches = page.getByRole('region', { name: 'What earned it' }).locator('tbody tr');
    const share = async () => {
      await page.reload();
      return touches.filter({ hasText: 'Paid search' }).getByRole('cell').first().textContent();
    };
    await expect.poll(share).toBe('100%');
  });

  await step('The look is in the log of who read people', async () => {
    await workspace.owner.page.goto(workspace.url('access-log'));
    const looks = workspace.owner.page.locator('tbody tr');
    await looks.filter({ hasText: 'analyst' }).filter({ hasText: 'Read customer journey' }).first().waitFor();
  });
  expect(complaints).toEqual([]);
});
