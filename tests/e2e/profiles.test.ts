import { buildConsole, consoleDirectory } from '@tributary/console/build.ts';
import { addMember, createPasswords, createUser } from '@tributary/domain/tenancy/accounts/module.ts';
import { buildProfile, openTest, operatorOf } from '@tributary/testkit';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { openBrowser } from './browser.ts';
import { visit } from './console-scene.ts';
import { accessFaults } from './walk.ts';

const password = 'vague otter lamp';

async function signIn(page: Page, baseUrl: string, email: string): Promise<void> {
  await page.goto(`${baseUrl}/sign-in`);
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.waitForURL('**/p/**');
}

const profileOf = (page: Page) => /\/p\/([^/?]+)/.exec(page.url())?.[1] ?? '';

test('an owner creates, renames, switches, archives, restores and deletes profiles; a viewer cannot', async () => {
  await buildConsole();
  const { kit, api } = await openTest({ consoleDirectory });
  kit.clock.set(new Date());
  const tools = { operator: operatorOf(kit), passwords: createPasswords(10) };
  const first = await buildProfile(kit.app);
  for (const role of ['owner', 'viewer'] as const) {
    const { email } = await createUser(tools, { email: `${role}@example.com`, name: role, password });
    await addMember(tools, { workspaceId: first.workspaceId, email, role });
  }
  const baseUrl = await api.fastify.listen({ host: '127.0.0.1', port: 0 });
  const browser = await openBrowser();
  try {
    const { page, complaints } = await visit(browser, baseUrl, { timezoneId: 'America/Santiago' });
    const folder = process.env.SCREENSHOTS;
    const picture = async (name: string) => {
      if (folder) await page.screenshot({ path: `${folder}/profiles-${name}.png`, fullPage: true });
    };
    const switcher = page.getByRole('button', { name: /Switch profile$/ });
    await signIn(page, baseUrl, 'owner@example.com');

    await switcher.click();
    await picture('switcher');
    await page.getByRole('button', { name: 'New profile' }).click();
    const dialog = page.getByRole('dialog', { name: 'New profile' });
    expect(await dialog.getByLabel('Time zone').inputValue()).toBe('America/Santiago');
    expect(await dialog.getByLabel('Reporting currency').inputValue()).toBe('USD');
    await dialog.getByLabel('Name').fill('Shop Chile');
    await dialog.getByLabel('Reporting currency').selectOption('CLP');
    await picture('new');
    expect(await accessFaults(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Create profile' }).click();
    await page.waitForURL('**/set-up**');
    await page.getByText('The tracker is on your site').first().waitFor();
    const second = profileOf(page);
    expect(second).not.toBe(first.id);
    expect(await switcher.textContent()).toContain('Shop Chile');

    await page.goto(`${baseUrl}/p/${second}/settings`);
    await page.getByLabel('Name', { exact: true }).fill('Tienda Chile');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect.poll(() => switcher.textContent()).toContain('Tienda Chile');
    const active = page.getByRole('list', { name: 'Profiles', exact: true });
    await active.getByText('Tienda Chile').waitFor();
    await active.getByText('CLP · America/Santiago').waitFor();
    await picture('settings');
    expect(await accessFaults(page)).toEqual([]);

    // The same page of the other profile.
    await switcher.click();
    await page.getByLabel('Find a profile').fill('nothing like it');
    await page.getByText('No profile has this name.').waitFor();
    const name = (await active.getByRole('listitem').filter({ hasNotText: 'Tienda Chile' }).textContent()) ?? '';
    expect(name).toContain('USD');
    await page.getByLabel('Find a profile').fill('');
    await page.getByRole('dialog', { name: 'Profile' }).getByRole('button').first().click();
    await page.waitForURL(`**/p/${first.id}/settings**`);
    await page.keyboard.press('Control+K');
    await page.getByRole('searchbox', { name: 'Go to' }).fill('tienda');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/p/${second}/settings**`);

    await page.getByRole('button', { name: 'Archive Tienda Chile' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Archive' }).click();
    await page.waitForURL(`**/p/${first.id}/**`);
    await page.goto(`${baseUrl}/p/${first.id}/settings`);
    const archived = page.getByRole('list', { name: 'Archived' });
    await archived.getByText('Tienda Chile').waitFor();
    await picture('archived');
    await page.getByRole('button', { name: 'Restore Tienda Chile' }).click();
    await archived.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Open Tienda Chile' }).waitFor();

    await page.getByRole('button', { name: 'Delete Tienda Chile' }).click();
    const confirmation = page.getByRole('alertdialog');
    const remove = confirmation.getByRole('button', { name: 'Delete profile' });
    await confirmation.getByLabel(/^Type /).fill('Tienda');
    expect(await remove.isEnabled()).toBe(false);
    await picture('delete');
    await confirmation.getByLabel(/^Type /).fill('Tienda Chile');
    expect(await remove.isEnabled()).toBe(false);
    await confirmation.getByLabel('Your password').fill(password);
    await remove.click();
    await page.getByRole('button', { name: 'Delete Tienda Chile' }).waitFor({ state: 'detached' });

    // Without any profile left the start page offers to create or restore one.
    await page.getByRole('button', { name: /^Archive / }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Archive' }).click();
    await page.getByText('There is no profile here yet').waitFor();
    await page.getByRole('button', { name: /^Restore / }).click();
    await picture('none');
    await page.getByRole('link', { name: /^Open / }).click();
    await page.waitForURL(`**/p/${first.id}/**`);
    // Reports return 503: this scene has no ClickHouse.
    expect(complaints.filter((line) => !/status of 503/.test(line))).toEqual([]);

    const viewer = await visit(browser, baseUrl);
    await signIn(viewer.page, baseUrl, 'viewer@example.com');
    await viewer.page.getByRole('button', { name: /Switch profile$/ }).click();
    await viewer.page.getByLabel('Find a profile').waitFor();
    expect(await viewer.page.getByRole('button', { name: 'New profile' }).count()).toBe(0);
  } finally {
    await browser.close();
  }
});
