import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { PeopleScene } from './console-people-scene.ts';
import { confirm } from './set-up-as-owner.ts';

/** Connects a store by its form, creates a link for a client, and disconnects in the dialog. */
export async function connectAccounts(page: Page, scene: PeopleScene): Promise<void> {
  scene.nextMinute();
  await page.goto(`${scene.baseUrl}/p/${scene.shop.profileId}/connections`);
  for (const name of ['Meta Ads', 'Google Ads', 'Stripe', 'Shopify', 'Fintoc', 'ManyChat'])
    await page.getByRole('button', { name: `Connect ${name}`, exact: true }).waitFor();

  await page.getByRole('button', { name: 'Connect Shopify', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Connect Shopify' });
  await dialog.getByLabel('Store domain').fill('nord-sur.myshopify.com');
  await dialog.getByRole('button', { name: 'Connect', exact: true }).click();
  await dialog.getByLabel('Webhook signing secret').fill('9f2c7a4e51d84f0b8c3d6e7f');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('Connected. The first sync starts at once.').waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  const card = page.getByRole('listitem').filter({ hasText: 'nord-sur.myshopify.com' });
  await card.getByText('Connected', { exact: true }).waitFor();

  await card.getByRole('button', { name: /^Disconnect / }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).click();
  expect(await card.getByText('Connected', { exact: true }).count()).toBe(1);
  await card.getByRole('button', { name: /^Disconnect / }).click();
  await confirm(page, 'Disconnect');
  await card.getByText('Disconnected', { exact: true }).waitFor();

  await page.getByRole('button', { name: 'Connect Meta Ads', exact: true }).click();
  const meta = page.getByRole('dialog', { name: 'Connect Meta Ads' });
  await meta.getByRole('button', { name: 'Create link for a client' }).click();
  await meta.getByText(/It works once, for 45 minutes, until/).waitFor();
  expect(await meta.getByRole('link').first().getAttribute('href')).toContain('/connect/');
}
