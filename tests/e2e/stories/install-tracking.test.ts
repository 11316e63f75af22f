import { afterAll, beforeAll, expect, test } from 'vitest';
import { sharedInstallation } from './shared-installation.ts';
import { createTag, openSite, pageWith, type Site } from './site.ts';

let site: Site;
beforeAll(async () => {
  site = await openSite();
});
afterAll(() => site?.close());

test('an owner installs the tracker on a site and verifies one page', async () => {
  const workspace = await (await sharedInstallation()).openWorkspace();
  const { page, step, complaints } = workspace.owner;
  let tag = '';

  await step('Create a tracking key', async () => {
    tag = await createTag(page, workspace);
    expect(tag).toContain('<script');
    await page.getByText('No visit yet', { exact: true }).waitFor();
  });

  await step('Check a page before the tag is on it', async () => {
    await page.getByLabel('A page with the tag on it').fill(`${site.origin}/welcome`);
    await page.getByRole('button', { name: 'Check it' }).click();
    await page.getByText('only public https pages are').waitFor();
    expect(await page.getByText('the tracker works').count()).toBe(0);
  });

  await step('Paste the tag and open the page by the link', async () => {
    site.html = pageWith(tag);
    const [opened] = await Promise.all([
      page.context().waitForEvent('page'),
      page.getByRole('link', { name: 'Open your page' }).click(),
    ]);
    await opened.getByRole('heading', { name: 'Shop' }).waitFor();
    await page.getByText(/^Seen .*: the tracker works\.$/).waitFor();
    await page.getByText('Receiving data', { exact: true }).waitFor();
    await opened.close();
  });

  await step('Set-up marks the step as done', async () => {
    const tracker = page
      .getByRole('listitem')
      .filter({ has: page.getByRole('heading', { name: /The tracker is on your site/ }) });
    await tracker.getByText('Done', { exact: true }).waitFor();
  });

  await step('Tracking counts the visit', async () => {
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Tracking' }).click();
    await page.getByRole('region', { name: 'Is it alive' }).getByText('Alive', { exact: true }).waitFor();
    const visits = page.locator('dl > div').filter({ hasText: 'Visits' }).locator('dd').first();
    expect(await visits.textContent()).toBe('1');
  });
  expect(complaints).toEqual([]);
});
