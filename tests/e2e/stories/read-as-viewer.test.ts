import { expect, test } from 'vitest';
import { settle } from '../walk.ts';
import { sharedInstallation } from './shared-installation.ts';
import { openAdvertisingShop } from './shop-server.ts';

// Takes longer than ten seconds: it opens every page of the console.
test('a viewer opens every page of the navigation, and every other page explains why it is closed', async () => {
  const shop = await openAdvertisingShop(await sharedInstallation());
  const { page, step, complaints } = await shop.member('viewer');
  const linksOf = (of: typeof page) => of.getByRole('navigation', { name: 'Pages' }).getByRole('link');
  const own = await linksOf(page).allTextContents();
  const all = await linksOf(shop.owner.page).evaluateAll((links) =>
    links.map((link) => [link.textContent ?? '', link.getAttribute('href') ?? ''] as const),
  );
  expect(own.length).toBeGreaterThan(15);
  const closed = all.filter(([title]) => !own.includes(title));
  expect(closed.map(([title]) => title)).toEqual([
    'Customers',
    'Proposed merges',
    'Erasures',
    'Who read people',
    'Settings',
    'API keys',
    'Audit',
  ]);

  const main = page.getByRole('main');
  for (const title of own)
    await step(`Open ${title}`, async () => {
      await linksOf(page).getByText(title, { exact: true }).click();
      await main.getByRole('heading', { level: 1 }).waitFor();
      await settle(page);
      expect(await main.getByText(/This could not be loaded|You are here as/).count(), title).toBe(0);
    });
  for (const [title, href] of closed)
    await step(`${title} is closed`, async () => {
      await page.goto(new URL(href, page.url()).href);
      await main.getByText('You are here as viewer').waitFor();
      expect(await main.getByText('This could not be loaded').count(), title).toBe(0);
      expect(await main.getByRole('button').count(), title).toBe(0);
    });
  expect(complaints).toEqual([]);
});
