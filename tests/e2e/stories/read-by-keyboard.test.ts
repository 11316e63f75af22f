import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { faultsIn, optionsOf, settle } from '../walk.ts';
import { expectFigure, figure } from './report.ts';
import { sharedInstallation } from './shared-installation.ts';
import { openAdvertisingShop } from './shop-server.ts';

const look = { language: 'es', theme: 'dark', width: 1440, name: 'Spanish' } as const;

/** The accessible name or text of the focused element. */
const focused = (page: Page): Promise<string> =>
  page.evaluate(`(() => {
    const { activeElement: one } = document;
    return one?.getAttribute('aria-label') ?? one?.labels?.[0]?.textContent ?? one?.textContent ?? '';
  })()`);

/** Presses Tab until the matching element has the focus. */
async function tabTo(page: Page, wanted: RegExp): Promise<void> {
  for (let presses = 0; presses < 120; presses += 1) {
    await page.keyboard.press('Tab');
    if (wanted.test(await focused(page))) return;
  }
  throw new Error(`Tab does not lead to ${wanted}.`);
}

test('a marketer reads the reports in Spanish with the keyboard alone', async () => {
  const installation = await sharedInstallation();
  const shop = await openAdvertisingShop(installation);
  await expectFigure(
    shop.owner.page,
    shop.url('campaigns'),
    figure(shop.owner.page, 'Revenue', 'Boots search'),
    '$200.00',
  );
  const storageState = await shop.owner.page.context().storageState();
  const { page, step, complaints } = await installation.visitor({ ...optionsOf(look), storageState });
  const isReadable = async () => {
    await settle(page);
    expect(await faultsIn(page, look)).toEqual([]);
  };

  await step('Skip the navigation of Resumen', async () => {
    await page.goto(shop.url('overview'));
    await page.getByRole('heading', { name: 'Resumen', level: 1 }).waitFor();
    await settle(page);
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('Ir al contenido');
    await page.keyboard.press('Enter');
    await tabTo(page, /Ingresos, todo\. Explicar$/);
    await isReadable();
  });

  await step('Go to Campañas by a few letters', async () => {
    await page.keyboard.press('Control+k');
    await page.keyboard.type('campañ');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Campañas', level: 1 }).waitFor();
    await page.getByRole('link', { name: /: Ingresos, Boots search\. Explicar$/ }).waitFor();
    await isReadable();
  });

  await step('Choose the first touch', async () => {
    await tabTo(page, /^Modelo/);
    await page.keyboard.type('Primer');
    await page.keyboard.press('Enter');
    const revenue = page.getByRole('link', { name: /: Ingresos, Winter video\. Explicar$/ });
    await expect.poll(() => revenue.textContent()).toMatch(/200,00/);
  });

  await step('Explain a figure and return to it', async () => {
    await tabTo(page, /: Ingresos, Winter video\. Explicar$/);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Ingresos, Winter video' }).waitFor();
    await page.getByRole('region', { name: 'Explicación' }).getByText('Winter video').first().waitFor();
    await isReadable();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await focused(page)).toMatch(/: Ingresos, Winter video\. Explicar$/);
  });
  expect(complaints).toEqual([]);
});
