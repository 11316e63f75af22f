import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { days, type PeopleScene } from './console-people-scene.ts';
import { faultsIn, optionsOf, settle, visitsOf } from './walk.ts';

/** Pages that show more when a platform is connected. */
const ofPlatforms = /\/(overview|campaigns|connections|ad-actions|platforms)$/;

/** The faults on all pages that an owner can open: those of the navigation, which `overview` shows, and those behind their rows. */
export async function walkAllPages(overview: Page, scene: PeopleScene): Promise<string[]> {
  const links = overview.getByRole('navigation', { name: 'Pages' }).getByRole('link');
  const pages = await links.evaluateAll((all) => all.map((one) => one.getAttribute('href')?.split('?')[0] ?? ''));
  expect(pages.length).toBeGreaterThan(15);
  await overview.context().close();
  const inShop = `/p/${scene.shop.profileId}`;
  const boutique = `/p/${scene.boutique.profileId}`;
  const screens = [
    ...pages,
    ...pages.filter((path) => ofPlatforms.test(path)).map((path) => path.replace(inShop, boutique)),
    `${inShop}/customers/${scene.eva.customerId}`,
    `${inShop}/conversions/${scene.eva.firstId}`,
    '/account',
  ];
  const faults: string[] = [];
  for (const [appearance, some] of visitsOf(screens)) {
    const { page, complaints } = await scene.visit('owner', optionsOf(appearance));
    for (const screen of some) {
      scene.nextMinute();
      await page.goto(`${scene.baseUrl}${screen}?${new URLSearchParams(days)}`);
      await settle(page);
      faults.push(...(await faultsIn(page, appearance)).map((fault) => `${screen}, ${appearance.name}: ${fault}`));
    }
    // A store without providers returns 501, which the page shows in words.
    faults.push(...complaints.filter((line) => !/status of 501/.test(line)));
    await page.context().close();
  }
  return faults;
}
