import { dayMs } from '@tributary/vocabulary';
import { expect, test } from 'vitest';
import { connect } from './connect.ts';
import { sharedInstallation } from './shared-installation.ts';

test('map stages of HighLevel: deals become conversions with their value', async () => {
  const { sandbox, openWorkspace } = await sharedInstallation();
  const workspace = await openWorkspace();
  const { page, step, complaints } = workspace.owner;
  // Overview shows 30 days; deals close to the boundary are left out by one day.
  const deals = sandbox.book.highlevel.deals.filter(
    ({ locationId, lastStageChangeAt: at }) => locationId === 'locSantiago' && Date.parse(at) > Date.now() - 29 * dayMs,
  );
  const inStage = (position: number) => deals.filter(({ pipelineStageId: id }) => id.endsWith(`-${position}`));
  const [toCall, booked, quoted] = [inStage(1), inStage(2), inStage(3)];
  expect([toCall.length, booked.length, quoted.length]).not.toContain(0);

  const stage = (name: string) => page.getByLabel(`What ${name} counts as`).first();
  const readCount = async (kind: string) => {
    await page.goto(workspace.url('overview'));
    const table = page.getByRole('region', { name: 'Conversions' });
    await table.getByRole('row').nth(1).waitFor();
    return table
      .getByRole('row')
      .filter({ hasText: kind })
      .textContent({ timeout: 500 })
      .catch(() => null);
  };
  const expectCount = (kind: string, count: number) =>
    expect.poll(() => readCount(kind), { timeout: 60_000 }).toMatch(new RegExp(`^${kind}${count}[0-9.]+%$`));

  await step('Connect HighLevel', () => connect(page, workspace, 'HighLevel'));
  await step('See what the names of the stages suggest', async () => {
    await page.reload();
    await stage('Cita agendada').waitFor();
    expect(await stage('Cita agendada').inputValue()).toBe('appointment_booked');
    expect(await stage('Por llamar').inputValue()).toBe('unmapped');
  });
  await step('Deals of these stages are conversions', async () => {
    await expectCount('Appointment booked', booked.length);
    await expectCount('Quote sent', quoted.length);
  });
  await step('Map another stage and take one out', async () => {
    await page.goto(workspace.url('connections'));
    await stage('Por llamar').selectOption('Appointment booked');
    await expect.poll(() => stage('Por llamar').isEnabled()).toBe(true);
    await stage('Presupuesto enviado').selectOption('Does not count');
    await expect.poll(() => stage('Presupuesto enviado').isEnabled()).toBe(true);
  });
  await step('Overview follows', async () => {
    await expectCount('Appointment booked', booked.length + toCall.length);
    await expect.poll(() => readCount('Quote sent')).toBe(null);
  });
  await step('Customers names who is behind them, and the value of each deal', async () => {
    await page.goto(workspace.url('customers'));
    await page.getByLabel('Goal').selectOption('Appointment booked');
    const named = toCall.find(({ contact, monetaryValue }) => contact && monetaryValue);
    const row = page.getByRole('row').filter({ hasText: named?.contact?.name ?? 'no such customer' });
    const value = named?.monetaryValue?.toLocaleString('en-US', { style: 'currency', currency: 'USD' }) ?? '';
    await row.getByText(value).first().waitFor();
  });
  expect(complaints).toEqual([]);
});
