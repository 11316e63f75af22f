import { expect, test } from 'vitest';
import { expectFigure, figure } from './report.ts';
import { sharedInstallation } from './shared-installation.ts';

test('add the cost of a campaign by hand, correct it, and read it in Campaigns', async () => {
  const workspace = await (await sharedInstallation()).openWorkspace();
  const { page, step, complaints } = workspace.owner;
  const form = page.getByRole('region', { name: 'Add ad spend' });
  const add = async (amount: string) => {
    await page.goto(workspace.url('connections'));
    await form.getByLabel('Platform').selectOption('linkedin');
    await form.getByLabel('Campaign', { exact: true }).fill('Trade fair');
    await form.getByLabel('Campaign ID').fill('fair-2026');
    await form.getByLabel('Amount in USD').fill(amount);
    await form.getByRole('button', { name: 'Save spend' }).click();
  };
  const expectSpend = (text: string) =>
    expectFigure(page, workspace.url('campaigns'), figure(page, 'Spend', 'Trade fair'), text);

  await step('An amount that is no number is refused', async () => {
    await add('about 40');
    await form.getByRole('alert').waitFor();
  });
  await step('Add the cost of today', async () => {
    await add('40.50');
    await form.getByText('Saved. Campaigns shows it within seconds.').waitFor();
  });
  await step('Campaigns shows it', () => expectSpend('$40.50'));
  await step('The same day again replaces it', async () => {
    await add('45.00');
    await form.getByText('Saved. Campaigns shows it within seconds.').waitFor();
  });
  await step('Campaigns shows the correction', () => expectSpend('$45.00'));
  const viewer = await workspace.member('viewer');
  await viewer.step('A viewer adds none', async () => {
    await viewer.page.goto(workspace.url('connections'));
    await viewer.page.getByRole('heading', { name: 'Connections' }).waitFor();
    expect(await viewer.page.getByRole('region', { name: 'Add ad spend' }).count()).toBe(0);
  });
  expect([...complaints, ...viewer.complaints]).toEqual([]);
});
