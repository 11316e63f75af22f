import { buildConsole, consoleDirectory } from '@tributary/console/build.ts';
import { addMember, createPasswords, createUser } from '@tributary/domain/tenancy/accounts/module.ts';
import { buildProfile, openTest, operatorOf } from '@tributary/testkit';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { openBrowser } from './browser.ts';
import { visit } from './console-scene.ts';
import { totpCode } from './totp.ts';

const password = 'vague otter lamp';
const email = 'ana@example.com';

async function signIn(page: Page): Promise<void> {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

test('a member sets up a second factor, signs in with it, and ends another session', async () => {
  await buildConsole();
  const { kit, api } = await openTest({ consoleDirectory });
  kit.clock.set(new Date());
  const tools = { operator: operatorOf(kit), passwords: createPasswords(10) };
  const profile = await buildProfile(kit.app);
  await createUser(tools, { email, name: 'Ana', password });
  await addMember(tools, { workspaceId: profile.workspaceId, email, role: 'viewer' });
  const baseUrl = await api.fastify.listen({ host: '127.0.0.1', port: 0 });
  const browser = await openBrowser();
  try {
    const { page, complaints } = await visit(browser, baseUrl);
    await page.goto(`${baseUrl}/account`);
    await signIn(page);
    await page.getByLabel('Your password').fill('wrong password');
    await page.getByRole('button', { name: 'Set up' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Your password').fill(password);
    await page.getByRole('button', { name: 'Set up' }).click();
    await page.getByText('Keep these recovery codes').waitFor();
    const code = page.getByRole('img', { name: 'QR code for your authenticator app' });
    expect(await code.evaluate((svg) => svg.querySelectorAll('path').length)).toBe(2);
    const secret = (await page.locator('p code').first().textContent()) ?? '';
    const folder = process.env.SCREENSHOTS;
    if (folder) await page.screenshot({ path: `${folder}/account-set-up.png`, fullPage: true });
    await page.evaluate(axe.source);
    const { violations } = (await page.evaluate("axe.run({ resultTypes: ['violations'] })")) as {
      violations: { id: string }[];
    };
    expect(violations.map(({ id }) => id)).toEqual([]);
    await page.getByLabel('Code').fill(totpCode(secret));
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByText('On. Signing in takes your password and a code.').waitFor();

    const other = await visit(browser, baseUrl);
    await other.page.goto(`${baseUrl}/account`);
    await signIn(other.page);
    await other.page.getByLabel('Six digits').fill(totpCode(secret));
    if (folder) await other.page.screenshot({ path: `${folder}/sign-in-code.png` });
    await other.page.getByRole('button', { name: 'Sign in' }).click();
    await other.page.getByText('Where you are signed in').waitFor();

    await page.reload();
    await page.getByText('· here').waitFor();
    if (folder) await page.screenshot({ path: `${folder}/account.png`, fullPage: true });
    await page.getByRole('button', { name: 'End' }).click();
    await expect.poll(() => page.getByRole('button', { name: 'End' }).count()).toBe(0);
    await other.page.reload();
    await other.page.getByLabel('E-mail').waitFor();
    // A wrong password is a 400, which Chromium logs as an error of the page.
    expect(complaints.filter((line) => !/status of 4(00|22)/.test(line))).toEqual([]);
  } finally {
    await browser.close();
  }
});
