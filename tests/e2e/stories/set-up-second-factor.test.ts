import { expect, test } from 'vitest';
import { totpCode } from '../totp.ts';
import { sharedInstallation } from './shared-installation.ts';

test('set up a second factor, sign in with a code and with a recovery code, and turn it off', async () => {
  const installation = await sharedInstallation();
  const { owner } = await installation.openWorkspace();
  const { page, step } = owner;

  let secret = '';
  let recoveryCodes: string[] = [];
  await step('Scan the QR code', async () => {
    await page.getByRole('link', { name: 'Account' }).click();
    await page.getByLabel('Your password').first().fill(owner.password);
    await page.getByRole('button', { name: 'Set up' }).click();
    await page.getByRole('img', { name: 'QR code for your authenticator app' }).waitFor();
    secret = (await page.getByText('Key:').locator('code').textContent()) ?? '';
    recoveryCodes = await page.getByRole('listitem').locator('code').allTextContents();
    expect(recoveryCodes.length).toBeGreaterThan(4);
  });

  await step('A wrong code is refused', async () => {
    await page.getByLabel('Code', { exact: true }).fill('000000');
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByRole('alert').waitFor();
  });

  await step('Confirm with a code', async () => {
    await page.getByLabel('Code', { exact: true }).fill(totpCode(secret));
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByText('On. Signing in takes your password and a code.').waitFor();
  });

  const other = await installation.visitor();
  const enterPassword = async () => {
    await other.page.goto(`${installation.baseUrl}/account`);
    await other.page.getByLabel('E-mail').fill(owner.email);
    await other.page.getByLabel('Password').fill(owner.password);
    await other.page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await other.page.getByLabel('Six digits').waitFor();
  };
  const enterCode = async (code: string) => {
    await other.page.getByLabel('Six digits').fill(code);
    await other.page.getByRole('button', { name: 'Sign in', exact: true }).click();
  };
  const isSignedIn = () => other.page.getByText('Where you are signed in').waitFor();

  await other.step('The password alone opens nothing', async () => {
    await enterPassword();
    await enterCode('000000');
    await other.page.getByRole('alert').waitFor();
  });
  await other.step('Sign in with a code', async () => {
    await enterCode(totpCode(secret));
    await isSignedIn();
  });

  await other.step('Sign in with a recovery code', async () => {
    await other.page.context().clearCookies();
    await enterPassword();
    await enterCode(recoveryCodes[0] ?? '');
    await isSignedIn();
  });
  await other.step('A recovery code works once', async () => {
    await other.page.context().clearCookies();
    await enterPassword();
    await enterCode(recoveryCodes[0] ?? '');
    await other.page.getByRole('alert').waitFor();
  });

  await step('End the other sessions and turn it off', async () => {
    await page.reload();
    await page.getByText('· here').waitFor();
    const others = page.getByRole('button', { name: 'End', exact: true });
    expect(await others.count()).toBe(2);
    await others.first().click();
    await expect.poll(() => others.count()).toBe(1);
    await page.getByLabel('Your password').first().fill(owner.password);
    await page.getByRole('button', { name: 'Give it up' }).click();
    await page.getByText('Off. With one, your password alone opens nothing').waitFor();
  });
  expect([...owner.complaints, ...other.complaints]).toEqual([]);
});
