import { expect, test } from 'vitest';
import { expectFigure, figure } from './report.ts';
import { sharedInstallation } from './shared-installation.ts';
import { openAdvertisingShop } from './shop-server.ts';

test('an analyst compares attribution models, and each splits the same revenue', async () => {
  const shop = await openAdvertisingShop(await sharedInstallation());
  const { page, step, complaints } = await shop.member('analyst');
  const revenue = (about: string) => figure(page, 'Revenue', about);

  await step('Campaigns credits the last touch', async () => {
    await expectFigure(page, shop.url('campaigns'), revenue('Boots search'), '$200.00');
    expect(await revenue('Winter video').textContent()).toBe('$0.00');
  });

  await step('Choose first touch', async () => {
    await page.getByLabel('Model', { exact: true }).selectOption('First touch');
    await page.getByText('The first touch earns all.').waitFor();
    await expect.poll(() => revenue('Winter video').textContent()).toBe('$200.00');
    expect(await revenue('Boots search').textContent()).toBe('$0.00');
  });

  await step('Choose position based: both earn a half of what two touches share', async () => {
    await page.getByLabel('Model', { exact: true }).selectOption('Position based');
    await expect.poll(() => revenue('Winter video').textContent()).toBe('$100.00');
    expect(await revenue('Boots search').textContent()).toBe('$100.00');
    await page.getByText('Under this model several may earn a part of one conversion').waitFor();
  });

  await step('Open one campaign under all models at once', async () => {
    await page.getByRole('button', { name: 'Six models, Winter video' }).click();
    const table = page.getByRole('table').filter({ hasText: 'Winter video, under each model' }).last();
    const rows = table.getByRole('row');
    const revenueOf = (model: string) =>
      rows
        .filter({ hasText: model })
        .getByRole('link', { name: /: Revenue, / })
        .textContent();
    expect(await revenueOf('First touch')).toBe('$200.00');
    expect(await revenueOf('Last touch')).toBe('$0.00');
    expect(await revenueOf('Linear')).toBe('$100.00');
    const decayed = Number((await revenueOf('Time decay'))?.replace('$', ''));
    // Six days later a touch earns nearly twice as much.
    expect(decayed).toBeGreaterThan(65);
    expect(decayed).toBeLessThan(80);
  });
  expect(complaints).toEqual([]);
});
