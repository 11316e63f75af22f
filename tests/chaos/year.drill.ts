import type { Drill } from '@tributary/testkit';
import type { Channel } from '@tributary/vocabulary';
import { inTurn } from './in-turn.ts';
import { numbersFrom } from './numbers-from.ts';
import { AdBook } from './year-ads.ts';
import { Book } from './year-book.ts';
import {
  Checks,
  checkCustomers,
  checkExplanations,
  checkPayments,
  checkReconciliation,
  checkReports,
  checkWebhooks,
  type Mark,
  markOf,
} from './year-checks.ts';
import { ExportBook } from './year-exports.ts';
import { Life } from './year-life.ts';
import { dayAt, firstDay, marketSeed, openYearShop, type Shop } from './year-shop.ts';
import { Troubles } from './year-troubles.ts';
import { VisitBook } from './year-visits.ts';

const sizes = { small: { days: 16, sales: 10 }, full: { days: 365, sales: 10 } } as const;
const seed = 20_251_001;
const reportsAtOnce = 4;
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

/** Simulates a shop day by day and compares every response of the API with the simulator's own books. DAYS=30 runs a part of the year. */
export const drill: Drill = {
  name: 'year',
  promise:
    'After a simulated year of a shop with all providers, every report, explanation, payment, customer, export and webhook equals the simulator’s own books to the minor unit, and so does an as-of report of each past day.',

  async run({ size, progress }) {
    const { days: most, sales } = sizes[size];
    const days = Number(process.env.DAYS ?? most);
    const dice = numbersFrom(seed);
    const shop = await openYearShop(days);
    try {
      const book = new Book('USD', new AdBook(marketSeed, firstDay, days), new VisitBook());
      const life = new Life(shop, book, dice);
      const troubles = new Troubles(shop, book, life, days);
      const checks = new Checks();
      const marks: Mark[] = [];
      const failed = { syncs: 0 };
      const spent: Record<string, number> = {};
      const timed = async (what: string, act: () => Promise<void>) => {
        const since = performance.now();
        await act();
        spent[what] = Math.round(((spent[what] ?? 0) + (performance.now() - since) / 1_000) * 10) / 10;
      };
      await timed('connecting', async () => {
        for (const channel of channels) await shop.connections.connect(channel);
      });
      const exports = await ExportBook.begin(shop);
      progress(0, days, 'connected');
      for (let n = 0; n < days && checks.total < 100; n += 1) {
        const day = dayAt(n);
        shop.at(new Date(`${day}T00:00:00Z`));
        await timed('living', async () => {
          await troubles.morning(n);
          await life.simulateDay(day, n, sales);
          await troubles.evening(n);
          await shop.untilVisitsProcessed();
        });
        shop.at(new Date(`${day}T23:00:00Z`));
        await timed('working', async () => {
          const isKilled = n % 7 === 6;
          await shop.round(isKilled ? 20 + Math.floor(dice() * 400) : undefined);
          if (isKilled) life.count('worker killed');
          const open = channels.filter((channel) => !troubles.isAway(channel));
          const reconnected = () => life.count('reconnect after a kill');
          failed.syncs += await countUnread(shop, open, reconnected);
          for (const channel of channels) {
            if (troubles.isAway(channel)) await checkAway(shop, checks, troubles, channel);
            else {
              book.markRead(channel);
              book.ads.markRead(channel, day);
            }
          }
          await shop.round(undefined, ['erasures', 'sales', 'firstPayments', 'attribution', 'delivery']);
          await exports.evening(shop, book, troubles.receptionOf('social_ads'));
          await shop.round(undefined, ['exports', 'webhooks']);
        });
        await timed('checking', async () => {
          const mark = markOf(book, n);
          await checkReports(shop, checks, mark);
          marks.push({ ...mark, at: new Date().toISOString() });
        });
        progress(n + 1, days, `${book.sales.length} sales, ${checks.total} differences ${JSON.stringify(spent)}`);
      }
      const last = marks.at(-1) as Mark;
      await timed('checking', async () => {
        await checkReconciliation(shop, checks, last.n);
        await checkPayments(shop, checks, book, last.n);
        await checkCustomers(shop, checks, book, last.n);
        await checkExplanations(shop, checks, last);
        await exports.check(shop, checks);
        checkWebhooks(shop, checks, book, (at) => troubles.currencyAt(at));
      });
      // `mark.at` is a real time, because the engines date rows by their own clocks.
      shop.at(new Date(Date.now() + 3_600_000));
      await timed('as of each day', async () => {
        await inTurn(marks, reportsAtOnce, async (mark) => {
          await checkReports(shop, checks, mark, mark.at);
          progress(mark.n + 1, marks.length, `as of each day, ${checks.total} differences`);
        });
      });
      return {
        passed: checks.total === 0 && marks.length === days && failed.syncs === 0,
        days: marks.length,
        sales: book.sales.length,
        life_events: life.counts,
        comparisons: Object.values(checks.compared).reduce((sum, one) => sum + one, 0),
        compared: checks.compared,
        differences: checks.differences,
        syncs_failed_after_fault: failed.syncs,
        seconds_of: { ...spent, worker: shop.spent },
        ...(checks.first.length > 0 && { first_differences: checks.first }),
      };
    } finally {
      await shop.close();
    }
  },
};

/** Checks that the sync of an unavailable provider has failed, and that a revoked one requires a new consent. */
async function checkAway(shop: Shop, checks: Checks, troubles: Troubles, channel: Channel): Promise<void> {
  const { status, sync } = await shop.connections.read(channel);
  checks.same('providers away', `${channel} sync`, sync.state, 'failed');
  const wanted = troubles.isRevoked(channel) ? 'reconnect_required' : 'connected';
  checks.same('providers away', `${channel} status`, status, wanted);
}

/**
 * Repeats syncs whose data a provider prepares later, and reconnects providers whose tokens a killed worker lost. Resolves to the number of
 * syncs that are still unfinished.
 */
async function countUnread(shop: Shop, channels: readonly Channel[], reconnected: () => void): Promise<number> {
  for (let tries = 0; ; tries += 1) {
    const states = await Promise.all(
      channels.map(async (channel) => ({ channel, ...(await shop.connections.read(channel)) })),
    );
    const unread = states.filter(
      ({ status, sync }) => status !== 'connected' || sync.state !== 'idle' || sync.last_error !== null,
    );
    if (unread.length === 0 || tries === 20) return unread.length;
    for (const { channel, status } of unread) {
      if (status !== 'reconnect_required') continue;
      await shop.connections.connect(channel);
      reconnected();
    }
    shop.kit.clock.advance(60_000);
    await shop.round(undefined, ['syncs']);
  }
}
