import { expect, test } from 'vitest';
import { sharedInstallation } from './shared-installation.ts';

test('an owner deletes a workspace with their password, restores it, and deletes it for good', async () => {
  const installation = await sharedInstallation();
  const workspace = await installation.openWorkspace();
  const { page, step } = workspace.owner;
  const admin = await workspace.member('admin');

  await admin.step('An admin cannot delete it', async () => {
    await admin.page.goto(workspace.url('settings'));
    await admin.page.getByRole('heading', { name: 'Profiles' }).waitFor();
    await admin.page.getByText('Owners of the workspace can archive and delete profiles.').waitFor();
    expect(await admin.page.getByRole('button', { name: 'Delete workspace' }).count()).toBe(0);
  });

  const question = page.getByRole('alertdialog', { name: 'Delete Test workspace?' });
  const remove = question.getByRole('button', { name: 'Delete workspace' });
  const fill = async (name: string, password: string) => {
    await question.getByLabel(/^Type /).fill(name);
    await question.getByLabel('Your password').fill(password);
  };
  const openQuestion = async () => {
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('button', { name: 'Delete workspace' }).click();
  };
  await step('A wrong name deletes nothing', async () => {
    await openQuestion();
    await fill('Test', workspace.owner.password);
    expect(await remove.isEnabled()).toBe(false);
  });
  await step('Nor does a wrong password', async () => {
    await fill('Test workspace', 'another otter lamp');
    await remove.click();
    await question.getByRole('alert').waitFor();
  });
  await step('Delete it', async () => {
    await fill('Test workspace', workspace.owner.password);
    await remove.click();
    await page.getByText('There is no profile here yet').waitFor();
  });
  const expectClosed = async () => {
    await page.goto(workspace.url('overview'));
    await page.getByRole('heading', { name: 'You cannot open this profile' }).waitFor();
  };
  await step('Its address opens nothing', expectClosed);
  await admin.step('Nor for other members, who cannot restore it', async () => {
    await admin.page.reload();
    await admin.page.getByRole('heading', { name: 'You cannot open this profile' }).waitFor();
    await admin.page.goto(`${installation.baseUrl}/`);
    await admin.page.getByText('There is no profile here yet').waitFor();
    expect(await admin.page.getByRole('button', { name: 'Restore Test workspace' }).count()).toBe(0);
  });

  await step('Restore it', async () => {
    await page.goto(`${installation.baseUrl}/`);
    await page.getByText('Can be restored until').waitFor();
    await page.getByRole('button', { name: 'Restore Test workspace' }).click();
    await page.getByRole('button', { name: 'Restore Test workspace' }).waitFor({ state: 'detached' });
    await page.goto(workspace.url('overview'));
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
  });
  await admin.step('Other members read it again', async () => {
    await admin.page.goto(workspace.url('overview'));
    await admin.page.getByRole('heading', { name: 'Overview' }).waitFor();
  });

  await step('Delete it for good', async () => {
    await openQuestion();
    await fill('Test workspace', workspace.owner.password);
    await question.getByRole('checkbox', { name: 'Delete it now' }).check();
    await question.getByText('You cannot undo this').waitFor();
    await remove.click();
    await page.getByText('There is no profile here yet').waitFor();
    expect(await page.getByRole('button', { name: 'Restore Test workspace' }).count()).toBe(0);
  });
  await step('Its address opens nothing any more', expectClosed);
  expect([...workspace.owner.complaints, ...admin.complaints].filter((line) => !/status of 400/.test(line))).toEqual(
    [],
  );
});
