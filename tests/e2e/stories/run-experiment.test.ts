import { dayMs } from '@tributary/vocabulary';
import { expect, test } from 'vitest';
import { expectFigure, figure } from './report.ts';
import { advancingInstallation } from './shared-installation.ts';
import { openShopServer } from './shop-server.ts';

const regions = Array.from({ length: 12 }, (_, nth) => `CL-${String.fromCharCode(65 + nth)}`);
/** The weeks before the experiment that its plan uses, and its duration including the cool-down. */
const weeks = { before: 15, during: 5 };

// Takes longer than ten seconds: the regions send more than a thousand payments before and during the experiment.
test('an owner plans an experiment, runs it and reads the incremental effect of the campaign', async () => {
  const installation = await advancingInstallation();
  const workspace = await installation.openWorkspace();
  const server = await openShopServer(installation, workspace);
  const { page, step, complaints } = workspace.owner;
  let sent = 0;
  /** Spreads payments over the weeks before now, with a weekly number per region. */
  const pay = (over: number, perWeek: (region: string, nth: number) => number) =>
    server.sendAll(
      regions.flatMap((region, nth) => {
        const count = Math.round(perWeek(region, nth) * over);
        return Array.from({ length: count }, (_, one) => {
          sent += 1;
          return {
            event_name: 'payment_received',
            idempotency_key: `order-${sent}`,
            occurred_at: server.daysAgo(((one + 0.5) * over * 7) / count),
            properties: { value: '10.00', currency: 'USD' },
            region,
          };
        });
      }),
    );
  const usual = (nth: number) => 2 + 2 * Math.floor(nth / 4);
  const tests = page.getByRole('list', { name: 'Experiments' }).getByRole('listitem');
  const plan = async (name: string, expected: string) => {
    await page.getByLabel('Name').fill(name);
    await page.getByLabel('Campaign').selectOption('Winter video');
    await page.getByLabel('Expected effect, %').fill(expected);
    await page.getByRole('button', { name: 'Plan it' }).click();
    await tests.filter({ hasText: name }).waitFor();
    return tests.filter({ hasText: name });
  };

  await server.spend('video', server.daysAgo(3), '70.00');
  await pay(weeks.before, (_, nth) => usual(nth) + (nth % 3) / 10);
  await expectFigure(page, workspace.url('campaigns'), figure(page, 'Spend', 'Winter video'), '$70.00');

  await step('A plan that could not notice the effect is refused', async () => {
    await page.goto(workspace.url('experiments'));
    const weak = await plan('Too small to notice', '0.1');
    await weak.getByText(/It would notice an effect of .* in four of five cases; 0\.1% is expected\./).waitFor();
    await weak.getByRole('button', { name: 'Start' }).click();
    await weak.getByRole('alert').waitFor();
    await weak.getByRole('button', { name: 'Cancel experiment' }).click();
    await page.getByRole('dialog').getByLabel('Reason').fill('The effect is too small.');
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel experiment' }).click();
    await weak.getByText('The effect is too small.').waitFor();
    expect(await weak.getByRole('alert').count()).toBe(0);
  });

  let heldOut: readonly string[] = [];
  await step('Plan and start the experiment', async () => {
    const one = await plan('Winter video by region', '60');
    const off = (await one.getByText(/^Off in: /).textContent()) ?? '';
    heldOut = off.replace('Off in: ', '').split(', ');
    expect(heldOut).toHaveLength(6);
    await one.getByRole('button', { name: 'Start' }).click();
    await one.getByText('Running', { exact: true }).waitFor();
  });

  await step('It cannot be read before its end', async () => {
    const one = tests.filter({ hasText: 'Winter video by region' });
    await one.getByRole('button', { name: 'End and read' }).click();
    await one.getByRole('alert').waitFor();
    expect(await one.getByText(/^Lift/).count()).toBe(0);
  });

  await step('Five weeks later, read the result', async () => {
    await installation.advance((weeks.during * 7 + 1) * dayMs);
    await pay(weeks.during, (region, nth) => usual(nth) * (heldOut.includes(region) ? 1 : 1.5));
    await page.goto(workspace.url('experiments'));
    const one = tests.filter({ hasText: 'Winter video by region' });
    await one.getByRole('button', { name: 'End and read' }).click();
    await one.getByText('Ended', { exact: true }).waitFor();
    // The campaign had no spend on the report's dates.
    await one.getByText('Campaign: Winter video').waitFor();
    const [, lift = '', low = '', high = ''] =
      (await one.getByText(/^Lift/).textContent())?.match(/Lift ([\d.]+)%, 90% interval ([\d.]+)% to ([\d.]+)%/) ?? [];
    expect(Number(lift)).toBeGreaterThan(40);
    expect(Number(lift)).toBeLessThan(60);
    expect(Number(low)).toBeLessThanOrEqual(Number(lift));
    expect(Number(low)).toBeGreaterThan(20);
    expect(Number(high)).toBeGreaterThanOrEqual(Number(lift));
  });
  expect(complaints).toEqual([]);
});
