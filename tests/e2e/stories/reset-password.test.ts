import { expect, test } from 'vitest';
import { linkIn, receiveMail } from './mail.ts';
import { signIn } from './person.ts';
import { sharedInstallation } from './shared-installation.ts';

test('reset a forgotten password by e-mail, which ends all sessions', async () => {
  const installation = await sharedInstallation();
  const { owner } = await installation.openWorkspace();
  const { page, step, complaints } = await installation.visitor();
  const newPassword = 'quiet harbour lamp';

  await step('Request a reset link', async () => {
    await page.goto(`${installation.baseUrl}/sign-in`);
    await page.getByRole('link', { name: 'Forgot your password?' }).click();
    await page.getByRole('heading', { name: 'Reset your password' }).waitFor();
    await page.getByLabel('E-mail').fill(owner.email);
    await page.getByRole('button', { name: 'Send reset link' }).click();
    await page.getByText('a reset link is on its way').waitFor();
  });

  const link = linkIn(await receiveMail(installation, owner.email, 'A new password was requested'), '/reset-password');
  await step('A password that is too short is refused', async () => {
    await page.goto(link);
    await page.getByLabel('New password').fill('short');
    await page.getByRole('button', { name: 'Save password' }).click();
    await page.getByText('A password needs at least').waitFor();
  });

  await step('Choose a new password', async () => {
    await page.getByLabel('New password').fill(newPassword);
    await page.getByRole('button', { name: 'Save password' }).click();
    await page.getByText('all your sessions have ended').waitFor();
  });

  await step('The old password no longer works', async () => {
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.getByLabel('E-mail').fill(owner.email);
    await page.getByLabel('Password').fill(owner.password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByText('E-mail or password are not right.').waitFor();
  });

  await step('Sign in with the new password', () => signIn(page, owner.email, newPassword));

  await owner.step('The other browser has to sign in again', async () => {
    await owner.page.reload();
    await owner.page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
  });

  await step('The link works once', async () => {
    await page.goto(link);
    await page.getByLabel('New password').fill('another harbour lamp');
    await page.getByRole('button', { name: 'Save password' }).click();
    await page.getByText('This reset link has expired or was used.').waitFor();
  });
  expect([...complaints, ...owner.complaints]).toEqual([]);
});
