import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { expectFigure, figure } from './report.ts';
import { sharedInstallation } from './shared-installation.ts';
import { openAdvertisingShop } from './shop-server.ts';

const cellsIn = (line: string): string[] =>
  [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
    ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '',
  );

/** The rows of a CSV file by column title. */
function recordsIn(csv: string): Record<string, string | undefined>[] {
  const [header = [], ...rows] = csv.trimEnd().split('\r\n').map(cellsIn);
  return rows.map((row) => Object.fromEntries(header.map((title, column) => [title, row[column]])));
}

test('a report is saved as CSV with its days, model and totals', async () => {
  const shop = await openAdvertisingShop(await sharedInstallation());
  const { page, step, complaints } = shop.owner;
  const save = async (name: RegExp) => {
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name }).click()]);
    const text = await readFile(await download.path(), 'utf8');
    // The byte order mark makes spreadsheets read UTF-8.
    expect(text.codePointAt(0)).toBe(0xfeff);
    return { name: download.suggestedFilename(), records: recordsIn(text.slice(1)) };
  };

  await step('Choose what the file shall hold', async () => {
    await expectFigure(page, shop.url('campaigns'), figure(page, 'Revenue', 'Boots search'), '$200.00');
    // The totals on the page may have been loaded before the last payment was counted.
    await page.reload();
    await page.getByLabel('Model', { exact: true }).selectOption('Linear');
    await page.getByRole('button', { name: 'Spend', exact: true }).click();
    await figure(page, 'Revenue', 'Winter video').filter({ hasText: '$100.00' }).waitFor();
  });

  await step('Save the campaigns', async () => {
    const { name, records } = await save(/^CSV of Campaigns/);
    expect(name).toMatch(/^test-profile-campaign-\d{4}-\d\d-\d\d-\d{4}-\d\d-\d\d\.csv$/);
    const shared = { date_from: expect.stringMatching(/^\d{4}-/), currency: 'USD', model: 'linear', level: 'campaign' };
    expect(records).toEqual([
      expect.objectContaining({ ...shared, Name: 'Winter video', Revenue: '100', Spend: '40', Clicks: '20' }),
      expect.objectContaining({ ...shared, Name: 'Boots search', Revenue: '100', Spend: '20', Clicks: '20' }),
      expect.objectContaining({ ...shared, Name: 'Unattributed', Revenue: '0' }),
      expect.objectContaining({ ...shared, Name: 'All', Revenue: '200', Spend: '60' }),
    ]);
    expect(records.map((record) => record.external_id)).toEqual(['9001', '9002', '', '']);
  });

  await step('Save the customers', async () => {
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Customers' }).click();
    await page.getByText('ana@example.com').first().waitFor();
    const { records } = await save(/^CSV of Who reached the goal/);
    expect(records).toEqual([
      expect.objectContaining({ Customer: 'luis@example.com', Revenue: '80', 'Came by': 'paid_search', Touches: '2' }),
      expect.objectContaining({ Customer: 'ana@example.com', Revenue: '120', 'Came by': 'paid_search', Touches: '2' }),
    ]);
  });
  expect(complaints).toEqual([]);
});
