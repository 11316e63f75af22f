import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { PeopleScene } from './console-people-scene.ts';

/** On the page of keys: makes one and revokes it, defines a goal, and has the models learn. */
export async function setUpAsOwner(page: Page, scene: PeopleScene): Promise<void> {
  await page.getByLabel('Name').fill('Shop server');
  await page.getByRole('button', { name: 'Make key' }).click();
  const key = await page.getByRole('status').locator('code').textContent();
  const send = (authorization: string) =>
    fetch(`${scene.baseUrl}/api/v1/events`, { method: 'POST', headers: { authorization }, body: '{}' });
  expect((await send(`Bearer ${key}`)).status).not.toBe(401);
  page.on('dialog', (dialog) => void dialog.accept());
  await page.getByRole('button', { name: 'Revoke Shop server' }).click();
  await page.getByRole('button', { name: 'Revoke Shop server' }).waitFor({ state: 'detached' });
  await expect.poll(async () => (await send(`Bearer ${key}`)).status, { timeout: 20_000 }).toBe(401);

  await page.goto(`${scene.baseUrl}/p/${scene.shop.profileId}/goals`);
  await page.getByLabel('Name').fill('Trial started');
  await page.getByLabel('Events').fill('trial_started, trial_begun');
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
  // Last touch is what the others are measured by.
  expect(await page.locator('tbody tr').filter({ hasText: 'Last touch' }).locator('td').nth(1).textContent()).toBe(
    '1.00',
  );
}
