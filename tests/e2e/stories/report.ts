import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

/** The link of a report's figure, which opens its explanation. */
export const figure = (page: Page, metric: string, about: string): Locator =>
  page.getByRole('main').getByRole('link', { name: new RegExp(`: ${metric}, ${about}\\. Explain$`) });

/** Reloads a page until a figure has this value: events of the shop are counted seconds later. */
export async function expectFigure(page: Page, url: string, figureOf: Locator, text: string): Promise<void> {
  const shown = async () => {
    await page.goto(url);
    await page.getByRole('heading', { level: 1 }).waitFor();
    return figureOf
      .first()
      .textContent({ timeout: 3_000 })
      .catch(() => null);
  };
  await expect.poll(shown, { timeout: 60_000, interval: 300 }).toBe(text);
}
