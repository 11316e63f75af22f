import { createClient } from '@tributary/sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { paymentOf } from './open-api-client.ts';
import { expectRevenue } from './revenue.ts';
import { sharedInstallation } from './shared-installation.ts';
import { openSite, pageWith, type Site } from './site.ts';

let site: Site;
beforeAll(async () => {
  site = await openSite();
});
afterAll(() => site?.close());

test("payments that the shop's server sends count for the campaign that brought the customer", async () => {
  const { baseUrl, openWorkspace, visitor } = await sharedInstallation();
  const workspace = await openWorkspace();
  const { page, step, complaints } = workspace.owner;

  await step('Copy the tag', async () => {
    await page.goto(workspace.url('set-up'));
    await page.getByRole('button', { name: 'Create tracking key' }).click();
    site.html = pageWith((await page.locator('pre').filter({ hasText: '<script' }).textContent()) ?? '');
  });
  await step('Two visitors come by two campaigns', async () => {
    for (const [email, campaign, id] of [
      ['ana@example.com', 'Winter', '120210000000001'],
      ['luis@example.com', 'Summer', '120210000000002'],
    ]) {
      const { page: tab, close } = await visitor();
      await tab.goto(
        `${site.origin}/?utm_source=facebook&utm_medium=paid_social&utm_campaign=${campaign}&campaign_id=${id}`,
      );
      await tab.evaluate(`tributary('identify', { email: '${email}' })`);
      // Leaving the page makes the tracker send its queue.
      await tab.goto('about:blank');
      await close();
    }
    await page.reload();
    await page.getByText('Receiving data').waitFor();
  });
  let key = '';
  await step('Create a key for the server', async () => {
    await page.goto(workspace.url('keys'));
    await page.getByLabel('Name').fill('Shop server');
    await page.getByRole('button', { name: 'Make key' }).click();
    key = (await page.getByRole('status').locator('code').textContent()) ?? '';
  });
  await step('The server sends payments', async () => {
    const server = createClient({ baseUrl, apiKey: key });
    for (const payment of [
      paymentOf('order-1', '100.00', 'ana@example.com'),
      paymentOf('order-2', '20.50', 'ana@example.com'),
      paymentOf('order-3', '80.00', 'luis@example.com'),
      paymentOf('order-4', '15.00', 'nobody@example.com'),
      // The server retries one payment, as if it had received no response.
      paymentOf('order-3', '80.00', 'luis@example.com'),
    ])
      await server.createEvent({ body: payment });
    await expectRevenue(page, workspace, 215_50);
  });
  await step('Campaigns names what each campaign brought', async () => {
    const rowOf = (id: string) => page.getByRole('main').getByRole('row').filter({ hasText: id });
    const readRow = async (id: string) => {
      await page.goto(`${workspace.url('campaigns')}?level=campaign`);
      return rowOf(id)
        .textContent({ timeout: 5_000 })
        .catch(() => null);
    };
    await expect.poll(() => readRow('120210000000001')).toContain('$120.50');
    await expect.poll(() => readRow('120210000000002')).toContain('$80.00');
  });
  await step('Payments lists them', async () => {
    await page.goto(workspace.url('payments'));
    for (const order of ['order-1', 'order-2', 'order-3', 'order-4'])
      await page.getByRole('main').getByRole('row').filter({ hasText: order }).waitFor();
    expect(await page.getByRole('main').getByRole('row').count()).toBe(5);
  });
  expect(complaints).toEqual([]);
});
