import { expect, test } from 'vitest';
import { sharedInstallation } from './shared-installation.ts';

test('invite a colleague with limited rights, change the role and remove them', async () => {
  const installation = await sharedInstallation();
  const workspace = await installation.openWorkspace();
  const { page, step } = workspace.owner;
  const colleague = await installation.visitor();
  const pages = colleague.page.getByRole('navigation', { name: 'Pages' });
  const email = `luz-${workspace.profileId}@example.com`;

  let link = '';
  await step('Create an invitation for a viewer', async () => {
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Team' }).click();
    await page.getByRole('combobox', { name: 'Role', exact: true }).selectOption('viewer');
    await page.getByRole('button', { name: 'Make a link' }).click();
    link = (await page.locator('code').textContent()) ?? '';
    await page.getByText('Whoever has the link, as viewer').waitFor();
  });

  await colleague.step('Accept it in another browser', async () => {
    await colleague.page.goto(link);
    await colleague.page.getByRole('heading', { name: 'Join Test workspace' }).waitFor();
    await colleague.page.getByLabel('Your name').fill('Luz');
    await colleague.page.getByLabel('E-mail').fill(email);
    await colleague.page.getByLabel('Password').fill('vague otter lamp');
    await colleague.page.getByRole('button', { name: 'Create account and join' }).click();
    await colleague.page.getByRole('heading', { name: 'Overview' }).waitFor();
  });

  await colleague.step('A viewer has no pages about customers and keys', async () => {
    await pages.getByRole('link', { name: 'Campaigns' }).waitFor();
    for (const name of ['Customers', 'API keys', 'Settings', 'Audit'])
      expect(await pages.getByRole('link', { name, exact: true }).count(), name).toBe(0);
  });
  await colleague.step('The address of Customers says who may read it', async () => {
    await colleague.page.goto(workspace.url('customers'));
    await colleague.page.getByText('You are here as viewer').waitFor();
  });
  await colleague.step('Team shows members and changes none', async () => {
    await pages.getByRole('link', { name: 'Team' }).click();
    await colleague.page.getByText(workspace.owner.email).waitFor();
    for (const name of ['Remove', 'Make a link'])
      expect(await colleague.page.getByRole('button', { name }).count()).toBe(0);
  });

  const line = page.getByRole('list', { name: 'Members' }).getByRole('listitem').filter({ hasText: email });
  await step('Make the colleague an analyst', async () => {
    await page.reload();
    await line.getByRole('combobox', { name: 'Role of Luz' }).selectOption('analyst');
    await expect.poll(() => line.getByRole('combobox', { name: 'Role of Luz' }).inputValue()).toBe('analyst');
  });
  await step('An owner is made with the password only', async () => {
    await line.getByRole('combobox', { name: 'Role of Luz' }).selectOption('owner');
    const question = page.getByRole('alertdialog', { name: 'Change the role of Luz?' });
    await question.getByLabel('Your password').fill(workspace.owner.password);
    await question.getByRole('button', { name: 'Change role' }).click();
    await expect.poll(() => line.getByRole('combobox', { name: 'Role of Luz' }).inputValue()).toBe('owner');
    await line.getByRole('combobox', { name: 'Role of Luz' }).selectOption('analyst');
    await question.getByLabel('Your password').fill(workspace.owner.password);
    await question.getByRole('button', { name: 'Change role' }).click();
    await expect.poll(() => line.getByRole('combobox', { name: 'Role of Luz' }).inputValue()).toBe('analyst');
  });
  await colleague.step('An analyst reads customers', async () => {
    await expect
      .poll(async () => {
        await colleague.page.reload();
        await pages.getByRole('link', { name: 'Team' }).waitFor();
        return pages.getByRole('link', { name: 'Customers' }).count();
      })
      .toBe(1);
    await pages.getByRole('link', { name: 'Customers' }).click();
    await colleague.page.getByRole('heading', { name: 'Customers', level: 1 }).waitFor();
    expect(await colleague.page.getByText('You are here as').count()).toBe(0);
  });

  let shared = '';
  await colleague.step('The analyst shares a report', async () => {
    await colleague.page.goto(workspace.url('overview'));
    await colleague.page.locator('summary').filter({ hasText: 'Share' }).click();
    await colleague.page.getByLabel('Name of the link').fill('June');
    await colleague.page.getByRole('button', { name: 'Make link' }).click();
    shared = (await colleague.page.getByRole('status').locator('code').textContent()) ?? '';
  });

  await step('Remove the colleague and revoke what they created', async () => {
    await line.getByRole('button', { name: 'Remove' }).click();
    const question = page.getByRole('alertdialog');
    await question.getByText('Remove Luz from the workspace?').waitFor();
    await question.getByRole('list', { name: 'Created by this member' }).getByText('Link to a report: June').waitFor();
    expect(await question.getByRole('checkbox', { name: 'Revoke all of these' }).isChecked()).toBe(true);
    await question.getByRole('button', { name: 'Remove' }).click();
    await line.waitFor({ state: 'detached' });
  });
  await colleague.step('The colleague reads nothing more', async () => {
    await colleague.page.goto(workspace.url('overview'));
    await colleague.page.getByRole('heading', { name: 'You cannot open this profile' }).waitFor();
  });
  await colleague.step('The shared report shows nothing more', async () => {
    await colleague.page.goto(shared);
    await colleague.page.getByText('This link is not valid any more').first().waitFor();
  });
  await colleague.step('The invitation works once', async () => {
    const third = await installation.visitor();
    await third.page.goto(link);
    await third.page.getByText('It was already accepted.').waitFor();
    await third.close();
  });
  expect([...workspace.owner.complaints, ...colleague.complaints]).toEqual([]);
});
