import { expect, test } from 'vitest';
import { sharedInstallation } from './shared-installation.ts';

test('an owner deletes a workspace after typing its name, and nobody can open it any more', async () => {
  const workspace = await (await sharedInstallation()).openWorkspace();
  const { page, step } = workspace.owner;
  const admin = await workspace.member('admin');

  await admin.step('An admin cannot delete it', async () => {
    await admin.page.goto(workspace.url('settings'));
    await admin.page.getByRole('heading', { name: 'Profiles' }).waitFor();
    await admin.page.getByText('Owners of the workspace can archive and delete profiles.').waitFor();
    expect(await admin.page.getByRole('button', { name: 'Delete workspace' }).count()).toBe(0);
  });

  const question = page.getByRole('alertdialog', { name: 'Delete Test workspace?' });
  await step('A wrong name deletes nothing', async () => {
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('button', { name: 'Delete workspace' }).click();
    await question.getByRole('textbox').fill('Test');
    expect(await question.getByRole('button', { name: 'Delete workspace' }).isEnabled()).toBe(false);
  });
  await step('Delete it', async () => {
    await question.getByRole('textbox').fill('Test workspace');
    await question.getByRole('button', { name: 'Delete workspace' }).click();
    await page.getByText('There is no profile here yet').waitFor();
  });

  await step('Its address opens nothing', async () => {
    await page.goto(workspace.url('overview'));
    await page.getByRole('heading', { name: 'You cannot open this profile' }).waitFor();
  });
  await admin.step('Nor for other members', async () => {
    await admin.page.reload();
    await admin.page.getByRole('heading', { name: 'You cannot open this profile' }).waitFor();
  });
  expect([...workspace.owner.complaints, ...admin.complaints]).toEqual([]);
});
