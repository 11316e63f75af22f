import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectFigure, figure } from './report.ts';
import { sharedInstallation } from './shared-installation.ts';
import { openShopServer } from './shop-server.ts';
import { createTag, openSite, pageWith, type Site, visitSite } from './site.ts';

let site: Site;
beforeAll(async () => {
  site = await openSite();
});
afterAll(() => site?.close());

test('an owner defines a goal from a received event, and past and new events count', async () => {
  const installation = await sharedInstallation();
  const workspace = await installation.openWorkspace();
  const server = await openShopServer(installation, workspace);
  const { page, step, complaints } = workspace.owner;
  site.html = pageWith(await createTag(page, workspace));
  const ad = `${site.origin}/?utm_source=facebook&utm_medium=paid_social&utm_campaign=Winter&campaign_id=120210000000001`;
  const uncounted = page.getByRole('region', { name: 'Events that count nowhere' });
  const row = page.locator('tbody tr').filter({ hasText: 'brochure requested' });
  const requested = figure(page, 'Conversions', 'Brochure');

  await step('An event of the shop counts nowhere yet', async () => {
    await visitSite(installation, ad, "tributary('identify', { email: 'eva@example.com' })");
    await server.send({ event_name: 'Brochure requested', user_traits: { email: 'eva@example.com' } });
    await page.goto(workspace.url('goals'));
    await uncounted.getByText('Brochure requested').waitFor();
  });

  await step('Create a goal from it', async () => {
    await uncounted.getByRole('button', { name: 'Create goal from Brochure requested' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Brochure');
    await dialog.getByLabel('Attribution window, days').fill('30');
    await dialog.getByRole('button', { name: 'Save goal' }).click();
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(() => row.textContent()).toContain('30 days');
    await page.getByText('Every event received in the last 30 days counts under a goal.').waitFor();
  });

  await step('The past event counts', () => expectFigure(page, workspace.url('overview'), requested, '1'));

  await step('An event of the site counts as well', async () => {
    await visitSite(installation, ad, "tributary('track', 'brochure requested', { pages: 12 })");
    await expectFigure(page, workspace.url('overview'), requested, '2');
  });

  await step('The ad that brought both visitors is credited', async () => {
    await requested.click();
    const explanation = page.getByRole('region', { name: 'Explanation' });
    await explanation.getByText('Campaign 120210000000001').first().waitFor();
    expect(await explanation.getByText('Campaign 120210000000001').count()).toBe(2);
  });
  expect(complaints).toEqual([]);
});
