import { clickhouseSettings, createClickHouse } from '@tributary/clickhouse';
import type { Settings } from '@tributary/config';
import { replay } from '@tributary/domain/measurement/attribution/module.ts';
import { rebuildProfile } from '@tributary/domain/measurement/top-performers/module.ts';
import { Book, type MarketOptions, openMarket } from '@tributary/market';
import { createPostgres } from '@tributary/postgres';
import { dayOf } from '@tributary/rules';
import { dayMs, hourMs } from '@tributary/vocabulary';
import { showProgress } from '../progress.ts';
import { fillDelivery } from './fill-delivery.ts';
import { fillFast } from './fill-fast.ts';
import { fillVisits } from './fill-visits.ts';
import { applyRefunds, dateNewResults, dateRates, dateRefunds } from './history.ts';
import { lastClosing, recordPast } from './record-past.ts';
import type { Step } from './steps.ts';

interface Shop {
  readonly name: string;
  readonly options: MarketOptions;
  /** The day up to which the shop was filled before. */
  readonly filledThrough: string | undefined;
  readonly now: Date;
}

/**
 * Fills a market up to now with a realistic history. Results date from their payments, and refunds change them later. Platforms report a day on the
 * next morning and restate some. Last month was closed on the third of this one.
 */
export async function fillShop(
  settings: Settings,
  { name, options, filledThrough, now }: Shop,
  step: Step,
): Promise<void> {
  const app = createPostgres({ url: settings.databaseAppUrl, poolSize: 4 });
  const system = createPostgres({ url: settings.databaseSystemUrl, poolSize: 2 });
  const clickhouse = createClickHouse(clickhouseSettings(settings));
  const engines = { app, system, clickhouse };
  const { signal } = new AbortController();
  try {
    const market = openMarket(options);
    const { profileId } = market;
    const book = new Book(market);
    const attribute = async () => {
      const since = new Date();
      await replay({ app, clickhouse }, { profileId, cause: 'demo', now: () => new Date(), signal });
      return since;
    };
    const { refunds = [], late = [] } = await step(`${name}: people and payments`, () =>
      fillFast(market, engines, {
        until: +now,
        isHistoric: true,
        progress: showProgress('people'),
        watch: (household) => book.add(household),
      }),
    );
    await dateRates(engines);
    // A platform reports a day once it is over.
    const delivery = [...book.delivery.rows()].filter(({ day }) => day < dayOf(now) && day >= (filledThrough ?? ''));
    await step(`${name}: spend and visits`, async () => {
      await fillDelivery(market, delivery, engines, {
        reportedAt: (day) => new Date(Math.min(+now, Date.parse(day) + dayMs + 6 * hourMs)),
        restated: filledThrough === undefined ? restatedDays(now) : [],
      });
      await fillVisits(market, clickhouse);
    });
    await step(`${name}: attribution`, async () => {
      await dateNewResults(engines, profileId, { since: await attribute(), late });
      const applied = await applyRefunds(engines, profileId, refunds);
      if (applied.length > 0) await dateRefunds(engines, profileId, { since: await attribute(), refunds: applied });
    });
    if (filledThrough === undefined) await recordPast({ app, market, book, delivery, now });
    await step(`${name}: ad scores`, () => rebuildProfile({ app, clickhouse }, profileId, new Date(), signal));
  } finally {
    await Promise.all([app.close(), system.close(), clickhouse.close()]);
  }
}

/** A day of the closed month that Meta restated two days after the closing, and a day of last week. */
function restatedDays(now: Date) {
  const { month, at } = lastClosing(now);
  const daysAgo = (days: number) => new Date(+now - days * dayMs);
  return [
    { platform: 'social_ads', day: `${month}-28`, at: new Date(+at + 2 * dayMs) },
    { platform: 'social_ads', day: dayOf(daysAgo(8)), at: daysAgo(5) },
  ].filter((one) => one.at < now);
}
