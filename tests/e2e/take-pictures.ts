import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { openBrowser } from './browser.ts';

/**
 * Retakes the screenshots of the documentation from the demo: start it, then `node tests/e2e/take-pictures.ts http://127.0.0.1:4000 <e-mail>
 * <password>`.
 */
const [baseUrl = '', email = '', password = ''] = process.argv.slice(2);
const folder = join(import.meta.dirname, '../../docs/images');
const wide = { viewport: { width: 1280, height: 860 } };
const narrow = { viewport: { width: 390, height: 844 }, colorScheme: 'dark' } as const;

const browser = await openBrowser();

async function signedIn(options: BrowserContextOptions): Promise<{ page: Page; profile: string }> {
  const context = await browser.newContext({ locale: 'en-US', ...options });
  const page = await context.newPage();
  await page.goto(`${baseUrl}/sign-in`);
  await page.getByLabel('E-mail').fill(email);
  if (options === wide) await save(page, 'console-sign-in');
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL('**/overview?**');
  return { page, profile: page.url().replace(/\/overview.*/, '') };
}

/** Saves a screenshot once nothing is loading any more. */
async function save(page: Page, name: string): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.waitForLoadState('networkidle');
  // Waits for loading indicators and empty picture frames to disappear.
  await page.locator('.animate-pulse, span.size-16:empty, span.size-8:empty').first().waitFor({ state: 'detached' });
  await page.waitForTimeout(800);
  await page.screenshot({ path: join(folder, `${name}.png`), animations: 'disabled' });
}

const { page, profile } = await signedIn(wide);
for (const [screen, name] of [
  ['overview', 'console-overview'],
  ['campaigns', 'console-campaigns'],
  ['platforms', 'console-platforms'],
  ['top-ads?window=lifetime', 'console-top-ads'],
  ['customers', 'console-customers'],
  ['erasures', 'console-erasure'],
  ['connections', 'console-connections'],
  ['tracking', 'console-tracking'],
] as const) {
  await page.goto(`${profile}/${screen}`);
  await save(page, name);
}
await page.goto(`${profile}/customers`);
await page
  .locator('tbody tr')
  .filter({ hasText: 'Paid' })
  .filter({ hasNotText: 'unknown' })
  .first()
  .getByRole('link')
  .first()
  .click();
await save(page, 'console-customer');
await page.getByRole('region', { name: 'Conversions' }).getByRole('link').first().click();
await save(page, 'console-conversion');
await page.goto(`${profile}/campaigns?model=linear`);
await page
  .getByRole('link', { name: /: Revenue, / })
  .first()
  .click();
await page.getByText('The figure in the report').waitFor();
await save(page, 'console-explanation');

const phone = await signedIn(narrow);
await phone.page.goto(`${phone.profile}/campaigns`);
await save(phone.page, 'console-narrow');
await browser.close();
