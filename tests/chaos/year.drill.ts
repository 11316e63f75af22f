import type { Drill } from '@tributary/testkit';
import type { Channel } from '@tributary/vocabulary';
import { numbersFrom } from './numbers-from.ts';
import { Book } from './year-book.ts';
import {
  Checks,
  checkCustomers,
  checkOverview,
  checkPayments,
  checkWebhooks,
  type Mark,
  markOf,
} from './year-checks.ts';
import { Life } from './year-life.ts';
import { dayAt, openYearShop } from './year-shop.ts';

const sizes = {
  small: { days: 16, sales: 12 },
  full: { days: 365, sales: 12 },
} as const;
const seed = 20_251_001;
const channels: readonly Channel[] = [
  'social_ads',
  'search_ads',
  'search_console',
  'crm_a',
  'payments_a',
  'payments_b',
  'bank_link',
  'store',
  'chatbot',
];

/** A shop lives day by day; a simulator keeps books of its own, and every answer is held against them. DAYS=30 lives a part of it. */
export const drill: Drill = {
  name: 'year',
  promise:
    'After a year of a shop with all providers, every report, payment, customer and webhook equals the simulator’s own books to the minor unit, and so does each past day as it was known then.',

  async run({ size, progress }) {
    const { days: most, sales } = sizes[size];
    const days = Number(process.env.DAYS ?? most);
    const dice = numbersFrom(seed);
    const shop = await openYearShop(days);
    try {
      const book = new Book('USD');
      const life = new Life(shop, book, dice);
      const checks = new Checks();
      const marks: Mark[] = [];
      let kills = 0;
      for (const channel of channels) await shop.connections.connect(channel);
      progress(0, days, 'connected');
      for (let n = 0; n < days; n += 1) {
        const day = dayAt(n);
        await life.live(day, n, sales);
        const isKilled = n % 7 === 6;
        if (isKilled) kills += 1;
        shop.at(new Date(`${day}T23:00:00Z`));
        await shop.round(isKilled ? 20 + Math.floor(dice() * 400) : undefined);
        for (const channel of channels) {
          await readToTheEnd(shop, channel);
          book.heard(channel);
        }
        await shop.round(undefined, ['sales', 'firstPayments', 'attribution', 'delivery', 'webhooks']);
        const mark = markOf(book, n);
        await checkOverview(shop, checks, mark);
        marks.push({ ...mark, at: new Date().toISOString() });
        progress(n + 1, days, `${book.sales.length} sales, ${checks.total} differences`);
        if (checks.total > 200) break;
      }
      // The moments at which days ended are real ones: engines date what they keep by their own clocks.
      shop.at(new Date(Date.now() + 3_600_000));
      await checkPayments(shop, checks, book, marks.length - 1);
      await checkCustomers(shop, checks, book, marks.length - 1);
      checkWebhooks(shop, checks, book, () => book.currency);
      for (const mark of marks) {
        await checkOverview(shop, checks, mark, mark.at);
        progress(mark.n + 1, marks.length, `as of each day, ${checks.total} differences`);
      }
      return {
        passed: checks.total === 0 && marks.length === days,
        days,
        events: life.counts,
        worker_kills: kills,
        compared: checks.compared,
        differences: checks.differences,
        ...(checks.first.length > 0 && { first_differences: checks.first }),
      };
    } finally {
      await shop.close();
    }
  },
};

/** What a provider makes ready later is read a minute later, as an hourly worker would in its next run. */
async function readToTheEnd(shop: Awaited<ReturnType<typeof openYearShop>>, channel: Channel): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    const { status, sync } = await shop.connections.read(channel);
    if (status === 'connected' && sync.state === 'idle' && sync.last_error === null) return;
    if (tries > 20) throw new Error(`${channel} was not read: ${JSON.stringify({ status, sync })}`);
    shop.kit.clock.advance(60_000);
    await shop.round(undefined, ['syncs']);
  }
}
