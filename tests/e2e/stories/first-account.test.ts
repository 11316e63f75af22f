import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Installation, openInstallation } from './installation.ts';
import { openSite, pageWith, type Site } from './site.ts';

// Uses its own installation, because the shared one already has an account.
let installation: Installation;
let site: Site;
beforeAll(async () => {
  [installation, site] = await Promise.all([openInstallation(), openSite()]);
});
afterAll(async () => {
  site?.close();
  await installation?.close();
});

test('from the first account to a revenue figure that names the ad behind it', async () => {
  const { baseUrl } = installation;
  const { page, step, complaints } = await installation.visitor();

  await step('Create the first account', async () => {
    await page.goto(await installation.firstAccountUrl());
    await page.getByLabel('Business name').fill('Nord & Sur');
    await page.getByLabel('Your name').fill('Ana');
    await page.getByLabel('E-mail').fill('ana@example.com');
    await page.getByLabel('Password').fill('vague otter lamp');
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('heading', { name: 'Set-up' }).waitFor();
  });

  let tag = '';
  await step('Create a tracking key and copy the tag', async () => {
    await page.getByRole('button', { name: 'Create tracking key' }).click();
    const snippet = page.locator('pre').filter({ hasText: '<script' });
    tag = (await snippet.textContent()) ?? '';
  });

  await step('A visitor comes by an ad, and the checklist notices it', async () => {
    site.html = pageWith(tag);
    const visitor = await installation.visitor();
    await visitor.page.goto(
      `${site.origin}/?utm_source=facebook&utm_medium=paid_social&utm_campaign=Winter&campaign_id=120210000000001`,
    );
    await visitor.page.evaluate("tributary('identify', { email: 'luz@example.com' })");
    await page.getByText('Receiving data').waitFor();
    await visitor.close();
  });

  let key = '';
  await step('Create an API key', async () => {
    await page.getByRole('link', { name: 'create an API key' }).click();
    await page.getByLabel('Name').fill('Shop server');
    await page.getByRole('button', { name: 'Make key' }).click();
    key = (await page.getByRole('status').locator('code').textContent()) ?? '';
  });

  await step('The shop sends a payment, and Overview shows it', async () => {
    const response = await fetch(`${baseUrl}/api/v1/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        event_name: 'payment_received',
        idempotency_key: 'order-1001',
        occurred_at: new Date().toISOString(),
        properties: { value: '120.50', currency: 'USD' },
        user_traits: { email: 'luz@example.com' },
      }),
    });
    expect(response.status).toBe(202);
    await page.getByRole('link', { name: 'Overview' }).click();
    await page
      .getByRole('link', { name: /: Revenue, all\. Explain$/ })
      .filter({ hasText: '$120.50' })
      .waitFor();
  });

  await step('Click the figure: the explanation names the payment', async () => {
    await page.getByRole('link', { name: /: Revenue, all\. Explain$/ }).click();
    const explanation = page.getByRole('region', { name: 'Explanation' });
    await explanation.getByText('Campaign 120210000000001').waitFor();
    await explanation.getByText('100%').waitFor();
  });
  expect(complaints).toEqual([]);
});
