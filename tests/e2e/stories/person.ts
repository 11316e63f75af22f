import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';

/** A user in front of a browser. */
export interface Person {
  readonly page: Page;
  /** One action of the user. Afterwards a screenshot is taken. */
  step(name: string, action: (page: Page) => Promise<void>): Promise<void>;
  /** Errors that a user would not see: in the browser's console, and requests to other hosts. */
  readonly complaints: string[];
  close(): Promise<void>;
}

/** The folder of a run's screenshots. They are an artifact and never committed. */
const pictures = process.env.SCREENSHOTS ?? join(import.meta.dirname, '../../../.engines/stories');

export async function openPerson(
  browser: Browser,
  baseUrl: string,
  options: BrowserContextOptions = {},
): Promise<Person> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-US', ...options });
  context.setDefaultTimeout(40_000);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    // Chromium logs every failed request as an error of the page, though the page handles it.
    if (
      message.type() === 'error' &&
      !/status of 4\d\d/.test(message.text()) &&
      message.location().url.startsWith(baseUrl)
    )
      complaints.push(message.text());
  });
  const refused: string[] = [];
  page.on('response', (response) => {
    if (response.status() >= 400) refused.push(`${response.status()} ${response.request().method()} ${response.url()}`);
  });
  let steps = 0;
  return {
    page,
    complaints,
    async step(name, action) {
      steps += 1;
      const { currentTestName = 'story' } = expect.getState();
      const folder = join(pictures, fileName(currentTestName));
      mkdirSync(folder, { recursive: true });
      const picture = join(folder, `${String(steps).padStart(2, '0')}-${fileName(name)}.png`);
      // Only of the visible part: for a full-page screenshot Chromium resizes the page for an instant, which swaps tables for cards and resets open forms.
      const shoot = (fullPage: boolean) => page.screenshot({ path: picture, fullPage }).catch(() => {});
      try {
        await action(page);
        await shoot(false);
      } catch (error) {
        await shoot(true);
        const text = await page
          .locator('body')
          .innerText({ timeout: 5_000 })
          .catch(() => '');
        const answers = refused.length > 0 ? `\nFailed requests:\n${refused.join('\n')}` : '';
        throw new Error(`Step "${name}": ${(error as Error).message}${answers}\nThe page at ${page.url()}:\n${text}`, {
          cause: error,
        });
      }
    },
    close: () => context.close(),
  };
}

const fileName = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 80);

export async function signIn(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
}
