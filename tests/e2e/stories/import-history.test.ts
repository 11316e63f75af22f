import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dayMs } from '@tributary/vocabulary';
import { afterAll, expect, test } from 'vitest';
import { expectRevenue } from './revenue.ts';
import { sharedInstallation } from './shared-installation.ts';

const folder = mkdtempSync(join(tmpdir(), 'history-'));
afterAll(() => rmSync(folder, { recursive: true }));

const daysAgo = (days: number) => new Date(Date.now() - days * dayMs).toISOString();

function writeCsv(name: string, rows: readonly (readonly string[])[]): string {
  const file = join(folder, name);
  writeFileSync(file, `${rows.map((row) => row.join(',')).join('\n')}\n`);
  return file;
}

// Takes longer than ten seconds: each command of the operator is a separate process.
test('import past visits and payments, and see which campaign earned them', async () => {
  const { command, openWorkspace } = await sharedInstallation();
  const workspace = await openWorkspace();
  const { page, step, complaints } = workspace.owner;
  const profile = ['--profile', workspace.profileId];
  const url = 'https://shop.example/?utm_source=facebook&utm_medium=paid_social&utm_campaign=Autumn&campaign_id=777001';
  const visits = writeCsv('visits.csv', [
    ['client_id', 'occurred_at', 'url', 'type', 'email'],
    ['browser-1', daysAgo(20), url, 'page_view', ''],
    ['browser-1', daysAgo(20), url, 'identify', 'ana@example.com'],
    ['browser-2', 'yesterday', url, 'page_view', ''],
  ]);
  const payments = writeCsv('payments.csv', [
    ['event_name', 'occurred_at', 'idempotency_key', 'value', 'currency', 'email'],
    ['payment_received', daysAgo(19), 'old-1', '90.00', 'USD', 'ana@example.com'],
    ['payment_received', daysAgo(18), 'old-2', '30.00', 'USD', 'luis@example.com'],
    ['payment_received', daysAgo(17), 'old-3', 'many', 'USD', 'ana@example.com'],
  ]);
  const row = () => page.getByRole('main').getByRole('row').filter({ hasText: '777001' });
  const expectCampaign = async (text: string) => {
    const readRow = async () => {
      await page.goto(workspace.url('campaigns'));
      return row()
        .textContent({ timeout: 5_000 })
        .catch(() => null);
    };
    await expect.poll(readRow, { timeout: 60_000 }).toContain(text);
  };

  await step('Try the import of payments', async () => {
    await expect(command('import', 'outcomes', payments, ...profile, '--dry-run')).rejects.toThrow();
    await page.goto(workspace.url('overview'));
    await page.getByText('Get started').waitFor();
  });
  await step('Import visits; a row that is wrong is named', async () => {
    await expect(command('import', 'visits', visits, ...profile)).rejects.toThrow();
    expect(readFileSync(`${visits}.rejected.csv`, 'utf8')).toContain('occurred_at');
  });
  await step('Import payments', async () => {
    await expect(command('import', 'outcomes', payments, ...profile)).rejects.toThrow();
    expect(readFileSync(`${payments}.rejected.csv`, 'utf8')).toContain('value');
    await expectRevenue(page, workspace, 120_00);
  });
  await step('The campaign of the visit earned the payment after it', () => expectCampaign('$90.00'));
  await step('Correct the row and import the file again: nothing is doubled', async () => {
    const corrected = readFileSync(payments, 'utf8').replace('many', '10.00');
    writeFileSync(payments, corrected);
    await command('import', 'outcomes', payments, ...profile);
    await expectRevenue(page, workspace, 130_00);
    await expectCampaign('$100.00');
  });
  expect(complaints).toEqual([]);
});
