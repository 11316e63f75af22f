import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Page } from 'playwright-core';
import type { Installation, Workspace } from './installation.ts';

export const hashed = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Sets up the daily export of payments to an ad account under a name; `reachNextRun` decides when it runs. */
export async function setUpExport(
  page: Page,
  workspace: Workspace,
  { account, dataset, name }: { account: string; dataset: string; name: string },
): Promise<void> {
  await page.goto(workspace.url('exports'));
  await page.getByRole('button', { name: `Set up ${account}` }).click();
  const pixel = page.getByLabel('Pixel or dataset');
  const action = page.getByLabel('Conversion action ID');
  await pixel.or(action).waitFor();
  if (await pixel.isVisible()) await pixel.selectOption(dataset);
  else await action.fill(dataset);
  await page.getByLabel('Payment received').fill(name);
  await page.getByLabel('Send every, minutes').fill('1440');
  await page.getByRole('button', { name: 'Save export' }).click();
  const target = page.getByRole('listitem').filter({ hasText: account });
  await target.getByText('On', { exact: true }).waitFor();
  await target.getByText(name).waitFor();
}

/** Makes pending exports due immediately, as if the next run's time had come. Resolves to their number. */
export async function reachNextRun({ kit }: Installation, { profileId }: Workspace): Promise<number> {
  const { rows } = await kit.app
    .forProfile(profileId)
    .transaction((tx) =>
      sql`UPDATE export_events SET due_at = now() WHERE status IN ('waiting', 'processing') RETURNING 1`.execute(tx),
    );
  await kit.system.unbound.query(sql`SELECT announce_work('exports', ARRAY[${profileId}::uuid])`);
  return rows.length;
}
