import { alternate, type Bench, median, openDrillKit } from '@tributary/testkit';
import { attributionModelNames } from '@tributary/vocabulary';
import type { BrowserContext, Page } from 'playwright-core';
import { openScene, type Scene } from '../tests/e2e/console-scene.ts';

const rounds = 7;

/** Measures page loads in a browser, on a market of the demo's size. */
export const bench: Bench = {
  name: 'console',
  question: 'How long until the overview shows its figures after the press on Sign in, to the overview asked for bare?',
  better: 'lower',

  async run({ progress }) {
    const scene = await openScene({ people: 16_000, campaigns: 7, days: 90 }, () =>
      openDrillKit('bench-console', ['postgres', 'redis', 'clickhouse', 'nats']),
    );
    try {
      const overview = async () => {
        const { page } = await scene.visit();
        await page.goto(pageOf(scene, 'overview'));
        await page.getByLabel('E-mail').fill(scene.email);
        await page.getByLabel('Password').fill(scene.password);
        const startedAt = performance.now();
        await page.getByRole('button', { name: 'Sign in', exact: true }).click();
        await painted(page, figures);
        const took = performance.now() - startedAt;
        await page.context().close();
        return took;
      };
      const bare = async () => {
        const startedAt = performance.now();
        await scene.api.readOverview({ query: scene.dates });
        return performance.now() - startedAt;
      };
      const sides = await alternate(rounds, overview, bare, (round, total) => progress(round, total));
      const session = await sessionOf(scene);
      const shifts: Record<string, number> = {};
      for (const screen of ['overview', 'campaigns', 'platforms', 'top-ads'])
        shifts[screen] = await layoutShift(scene, session, screen);
      const switches = await modelSwitches(scene, session);
      return {
        ratio: median(sides.ours) / median(sides.bare),
        overviewMs: Math.round(median(sides.ours)),
        overviewSlowestMs: Math.round(Math.max(...sides.ours)),
        bareMs: Math.round(median(sides.bare)),
        modelSwitchMs: Math.round(median(switches)),
        modelSwitchSlowestMs: Math.round(Math.max(...switches)),
        layoutShift: shifts,
        rounds,
      };
    } finally {
      await scene.close();
    }
  },
};

type Session = Awaited<ReturnType<BrowserContext['storageState']>>;

const figures = 'main a[aria-label*=": Revenue, "]';

/** Polls on every frame: a locator waits up to half a second between two polls. */
const painted = (page: Page, selector: string) =>
  page.evaluate(`new Promise((seen) => {
    const look = () => (document.querySelector(${JSON.stringify(selector)}) ? seen() : requestAnimationFrame(look));
    look();
  })`);

const pageOf = ({ baseUrl, market, dates }: Scene, screen: string): string =>
  `${baseUrl}/p/${market.profileId}/${screen}?${new URLSearchParams({ from: dates.date_from, to: dates.date_to })}`;

async function sessionOf(scene: Scene): Promise<Session> {
  const { page } = await scene.visit();
  await page.goto(pageOf(scene, 'overview'));
  await page.getByLabel('E-mail').fill(scene.email);
  await page.getByLabel('Password').fill(scene.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await painted(page, figures);
  const session = await page.context().storageState();
  await page.context().close();
  return session;
}

/** The cumulative layout shift while a page loads, as computed by Chromium. */
async function layoutShift(scene: Scene, session: Session, screen: string): Promise<number> {
  const { page } = await scene.visit({ storageState: session });
  await page.addInitScript(`
    window.shifted = 0;
    new PerformanceObserver((list) => { for (const entry of list.getEntries()) window.shifted += entry.value; })
      .observe({ type: 'layout-shift', buffered: true });`);
  await page.goto(pageOf(scene, screen));
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.waitForLoadState('networkidle');
  const shifted = (await page.evaluate('window.shifted')) as number;
  await page.context().close();
  return Number(shifted.toFixed(4));
}

/** The time from selecting another model to its figures, for each model the first time. */
async function modelSwitches(scene: Scene, session: Session): Promise<number[]> {
  const { page } = await scene.visit({ storageState: session });
  await page.goto(pageOf(scene, 'campaigns'));
  await painted(page, figures);
  const took: number[] = [];
  for (const model of attributionModelNames.filter((name) => name !== 'last_touch')) {
    const startedAt = performance.now();
    await page.getByLabel('Model', { exact: true }).selectOption(model);
    // The link of a figure contains its model.
    await painted(page, `main tbody a[href*="${model}"]`);
    took.push(performance.now() - startedAt);
  }
  await page.context().close();
  return took;
}
