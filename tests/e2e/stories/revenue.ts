import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Workspace } from './installation.ts';

type Urls = Pick<Workspace, 'url'>;
type Metric = 'Revenue' | 'Spend';

export const dollars = (cents: number): string =>
  (cents / 100).toLocaleString('en-US', { style: 'currency', currency: 'USD', minimumFractionDigits: 2 });

/** Opens Overview and reads a figure of all channels. */
async function readTotal(page: Page, { url }: Urls, metric: Metric): Promise<string | null> {
  await page.goto(url('overview'));
  return page.getByRole('link', { name: new RegExp(`: ${metric}, all\\. Explain$`) }).textContent({ timeout: 20_000 });
}

/** Reloads Overview until it shows this revenue. */
export const expectRevenue = (page: Page, workspace: Urls, cents: number): Promise<void> =>
  expect.poll(() => readTotal(page, workspace, 'Revenue'), { timeout: 90_000, interval: 300 }).toBe(dollars(cents));

/** A figure of Overview in cents, once it no longer changes. */
export async function readSettled(page: Page, workspace: Urls, metric: Metric): Promise<number> {
  const read: (string | null)[] = [];
  const isSettled = async () => {
    read.push(await readTotal(page, workspace, metric));
    const last = read.slice(-3);
    return last.length === 3 && last.every((one) => one === last[0] && /[1-9]/.test(one ?? ''));
  };
  await expect.poll(isSettled, { timeout: 60_000, interval: 500 }).toBe(true);
  return Math.round(Number(read.at(-1)?.replace(/[^0-9.]/g, '')) * 100);
}
