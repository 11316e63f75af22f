import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { days, type PeopleScene } from './console-people-scene.ts';

/** On the page of keys: creates and revokes one, then defines a goal, trains the models, shares a report and mails one. */
export async function setUpAsOwner(page: Page, scene: PeopleScene): Promise<void> {
  await page.getByLabel('Name').fill('Shop server');
  await page.getByRole('button', { name: 'Make key' }).click();
  const key = await page.getByRole('status').locator('code').textContent();
  const send = (authorization: string) =>
    fetch(`${scene.baseUrl}/api/v1/events`, { method: 'POST', headers: { authorization }, body: '{}' });
  expect((await send(`Bearer ${key}`)).status).not.toBe(401);
  await page.getByRole('button', { name: 'Revoke Shop server' }).click();
  await confirm(page, 'Revoke');
  await page.getByRole('button', { name: 'Revoke Shop server' }).waitFor({ state: 'detached' });
  await expect.poll(async () => (await send(`Bearer ${key}`)).status).toBe(401);

  await page.goto(`${scene.baseUrl}/p/${scene.shop.profileId}/goals`);
  await page.getByLabel('Name').fill('Trial started');
  await page.getByLabel('Events', { exact: true }).fill('trial_started, trial_begun');
  await page.getByLabel('Attribution window, days').fill('30');
  await page.getByRole('button', { name: 'Save goal' }).click();
  const row = page.locator('tbody tr').filter({ hasText: 'Trial started' });
  await row.waitFor();
  expect(await row.textContent()).toContain('trial_begun, trial_started');
  expect(await row.textContent()).toContain('30 days');

  await page.goto(`${scene.baseUrl}/p/${scene.shop.profileId}/models`);
  await page.getByText('There is no figure, and none is made up').waitFor();
  await page.getByRole('button', { name: 'Learn now' }).click();
  await page.getByRole('region', { name: 'How the models stand' }).getByText('Queued').waitFor();
  // Last touch is the baseline of the others.
  expect(await page.locator('tbody tr').filter({ hasText: 'Last touch' }).locator('td').nth(1).textContent()).toBe(
    '1.00',
  );
  await shareAReport(page, scene);
  await mailAReport(page, scene);
}

/** Confirms in the dialog that a button opened. */
export const confirm = (page: Page, action: string): Promise<void> =>
  page.getByRole('alertdialog').getByRole('button', { name: action }).click();

/** Shares a report by a link: a browser without an account sees only this report, until the link is revoked. */
async function shareAReport(page: Page, scene: PeopleScene): Promise<void> {
  const { from, to } = days;
  const own = `${scene.baseUrl}/p/${scene.shop.profileId}`;
  await page.goto(`${own}/overview?from=${from}&to=${to}&model=linear`);
  // Alerts are shown above the figures to members only: the guest below sees no link.
  const alerts = page.getByRole('region', { name: 'What needs a look' });
  await alerts.getByText('Figures are late').waitFor();
  await alerts.getByRole('link', { name: 'Check the tracker' }).waitFor();
  const revenue = await page.getByRole('link', { name: /: Revenue, all\. Explain$/ }).textContent();
  await page.locator('summary').filter({ hasText: 'Share' }).click();
  await page.getByLabel('Name of the link').fill('For the agency');
  await page.getByRole('button', { name: 'Make link' }).click();
  const url = (await page.getByRole('status').locator('code').textContent()) ?? '';
  expect(url).toMatch(/\/shared#trib_view_/);

  const { page: guest, complaints } = await scene.guest();
  // Uses this server's URL, because the link has the configured BASE_URL, which a test does not serve.
  await guest.goto(`${scene.baseUrl}/shared${new URL(url).hash}`);
  await guest.waitForURL(`${own}/overview?**`);
  for (const again of [false, true]) {
    if (again) await guest.reload();
    await guest.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    await guest.getByText('Shared with you, read-only').waitFor();
    await guest
      .getByText(revenue ?? '', { exact: true })
      .first()
      .waitFor();
    expect(await guest.getByRole('link').count()).toBe(0);
    expect(await guest.getByRole('navigation').count()).toBe(0);
    expect(await guest.locator('summary').filter({ hasText: 'Share' }).count()).toBe(0);
  }
  expect(new URL(guest.url()).searchParams.get('model')).toBe('linear');
  const folder = process.env.SCREENSHOTS;
  if (folder) {
    await page.screenshot({ path: `${folder}/share.png` });
    await guest.screenshot({ path: `${folder}/shared.png`, fullPage: true });
  }
  await page.goto(`${own}/settings`);
  await page.getByRole('button', { name: 'Revoke For the agency' }).click();
  await confirm(page, 'Revoke');
  await page.getByText('No report is shared').waitFor();
  await guest.reload();
  await guest.getByText('This link is not valid any more').first().waitFor();
  expect(complaints).toEqual([]);
  await guest.context().close();
}

/** Subscribes to the current report by e-mail, and stops it. */
async function mailAReport(page: Page, scene: PeopleScene): Promise<void> {
  await page.goto(`${scene.baseUrl}/p/${scene.shop.profileId}/campaigns?model=linear`);
  await page.locator('summary').filter({ hasText: 'Share' }).click();
  await page.getByRole('link', { name: 'Send it by e-mail' }).click();
  await page.getByText('No report is sent by e-mail').waitFor();
  expect(await page.getByLabel('Report', { exact: true }).inputValue()).toBe('campaigns');
  expect(await page.getByLabel('Attribution model').inputValue()).toBe('linear');
  await page.getByRole('button', { name: 'Have it sent' }).click();
  await page.getByRole('listitem').filter({ hasText: 'Campaigns, every Monday' }).waitFor();
  await page.getByRole('button', { name: 'Get it no longer' }).click();
  await page.getByText('No report is sent by e-mail').waitFor();
  // An owner receives alerts by default.
  const wanted = page.getByLabel('Tell me when something is wrong');
  expect(await wanted.isChecked()).toBe(true);
  await wanted.click();
  await expect.poll(() => wanted.isChecked()).toBe(false);
}
