import { saveRates } from '@tributary/domain/commerce/money/module.ts';
import { type Drill, openApi, openDrillKit } from '@tributary/testkit';
import { numbersFrom } from './numbers-from.ts';
import { measureMonth, measureRandomPairs } from './one-sale-baskets.ts';
import { type Book, kinds, writeBook } from './one-sale-book.ts';
import { decide, rejectAll, undoAll, undoDecisions } from './one-sale-decisions.ts';
import {
  checkMatches,
  checkTotals,
  compareRevenue,
  differencesOf,
  readOverlaps,
  readState,
} from './one-sale-ledger.ts';
import { type Message, messagesOf, whens } from './one-sale-messages.ts';
import { measureFirstSync, measureWritePath } from './one-sale-scale.ts';
import { openShop, type Shop } from './one-sale-shop.ts';
import { rates } from './payments-book.ts';

const sizes = {
  small: { sales: 250, ordered: 250, orders: 2, pairs: 20_000, month: 2_000, synced: 2_000, path: 20 },
  full: { sales: 100_000, ordered: 10_000, orders: 3, pairs: 1_000_000, month: 20_000, synced: 200_000, path: 200 },
} as const;
const seed = 20_261_118;
/** The order in which the messages of four sources arrive: mixed, or one source after the other, with the provider last or first. */
const arrivals = ['mixed', 'provider last', 'provider first'] as const;
type Arrival = (typeof arrivals)[number];

/**
 * A simulator makes sales, four sources report them in random order, and the drill compares what the ledger counts with the simulator's books.
 * Members decide the pairs that no rule can decide, and undo their decisions. SALES=20000 runs a part of the drill.
 */
export const drill: Drill = {
  name: 'one-sale',
  promise:
    'A sale that several sources report counts once, to the minor unit, per day and customer, in any order of arrival, and every decision of a member can be undone.',

  async run({ size, progress }) {
    const { orders, pairs, month, path, ...most } = sizes[size];
    const share = Number(process.env.SALES ?? most.sales) / most.sales;
    const [sales, ordered, synced] = [most.sales, most.ordered, most.synced].map((n) => Math.ceil(n * share)) as [
      number,
      number,
      number,
    ];
    const kit = await openDrillKit('drill-one-sale', ['postgres', 'redis']);
    const api = await openApi(kit);
    try {
      const quotes = Object.entries(rates).map(([currency, units]) => ({
        day: '2026-01-01',
        currency,
        units,
        usd: '1',
      }));
      await saveRates(kit.system, 'file', quotes);
      const faults: string[] = [];
      const note = (when: string, found: readonly string[]) => faults.push(...found.map((one) => `${when}: ${one}`));

      const book = writeBook(sales, seed);
      const shop = await openShop(kit, api);
      const messages = messagesOf(book);
      const startedAt = performance.now();
      const facts = await deliverBook(shop, book, messages, 'mixed', seed, (done, what) =>
        progress(done, messages.length, what),
      );
      const seconds = Math.round((performance.now() - startedAt) / 1000);
      const revenue = await checkAll(shop, book, false, note);

      const first = await readState(shop);
      const decisions = await decide(shop, book);
      await shop.settle();
      const decided = await checkAll(shop, book, true, note);
      await undoDecisions(shop, decisions);
      await shop.settle();
      note('decisions undone', differencesOf(first, await readState(shop)).slice(0, 20));
      const batch = await rejectAll(shop);
      await shop.settle();
      const rejected = differencesOf(first, await readState(shop)).length;
      if (batch) await undoAll(shop, batch);
      await shop.settle();
      note('batch undone', differencesOf(first, await readState(shop)).slice(0, 20));
      await checkAll(shop, book, false, note);

      const other = ordered === sales ? book : writeBook(ordered, seed + 1);
      const states: string[][] = ordered === sales ? [first] : [];
      for (let index = states.length; index < orders; index += 1) {
        const again = await openShop(kit, api);
        const all = messagesOf(other);
        const arrival = arrivals[index % arrivals.length] as Arrival;
        await deliverBook(again, other, all, arrival, seed + index, (done) =>
          progress(done, all.length, `arriving ${arrival}`),
        );
        await checkAll(again, other, false, (when, found) => note(`${arrival}, ${when}`, found));
        states.push(await readState(again));
      }
      for (const state of states.slice(1)) note('other order', differencesOf(states[0] ?? [], state).slice(0, 20));

      const overlaps = await readOverlaps(shop);
      const unrelatedShops = {
        ...measureRandomPairs(pairs, (done) => progress(done, pairs, 'random pairs')),
        month: measureMonth(month),
      };
      if (unrelatedShops.automatic > 0 || unrelatedShops.month.automatic > 0)
        faults.push('Records of two shops were joined.');
      const firstSync = await measureFirstSync(kit, api, synced, (done, what) => progress(done, synced * 4, what));
      if ((firstSync.overlap_known_after_s ?? 60) >= 60) faults.push('The overlap was not known within a minute.');
      // PostgreSQL's counters include scans of other sessions, which can only add to the figure.
      let writePath = await measureWritePath(kit, api, path);
      for (let again = 0; writePath.look_ups_per_new_payment > 1 && again < 2; again += 1)
        writePath = await measureWritePath(kit, api, path);
      if (writePath.look_ups_per_new_payment > 1)
        faults.push('A new payment of the only source costs more than a look-up.');
      if (overlaps.some(({ isSystematic }) => !isSystematic)) faults.push('Not all sources overlap systematically.');
      const ofKind = Map.groupBy(book.sales, ({ kind }) => kind);
      return {
        passed: faults.length === 0 && decisions.length > 0 && rejected > 0 && kinds.every((kind) => ofKind.has(kind)),
        sales: book.sales.length,
        records: book.sales.reduce((sum, one) => sum + one.records.length, 0),
        refunds: book.sales.reduce((sum, one) => sum + one.refunds.length, 0),
        messages: messages.length,
        of_kind: Object.fromEntries(kinds.map((kind) => [kind, ofKind.get(kind)?.length ?? 0])),
        ...facts,
        duplicates: revenue.duplicates,
        matches: revenue.matches,
        overlaps: Object.fromEntries(overlaps.map(({ pair, share }) => [pair, share])),
        revenue: decided.counted,
        revenue_of_the_books: decided.expected,
        decisions: decisions.length,
        lines_that_a_batch_changed: rejected,
        orders,
        sales_of_each_order: ordered,
        delivered_in_s: seconds,
        seconds_of: shop.spent,
        two_shops: unrelatedShops,
        first_sync: firstSync,
        write_path: writePath,
        faults: faults.length,
        ...(faults.length > 0 && { first_faults: faults.slice(0, 10) }),
      };
    } finally {
      await api.close();
      await kit.close();
    }
  },
};

/** Delivers all messages of a book. In between, undoes the wrong merges and erases customers. */
async function deliverBook(
  shop: Shop,
  { people, sales, mistakes }: Book,
  messages: readonly Message[],
  arrival: Arrival,
  order: number,
  progress: (done: number, what: string) => void,
) {
  const dice = numbersFrom(order);
  const ranked = messages.map((message) => {
    const when = whens.indexOf(message.when ?? (dice() < 0.6 ? 'early' : 'late'));
    const rank = arrival === 'mixed' ? 0 : viaRank(message.via, arrival);
    return { message, when, order: [rank, dice()] as const };
  });
  ranked.sort((a, b) => a.order[0] - b.order[0] || a.order[1] - b.order[1]);
  let done = 0;
  const deliver = async (when: (typeof whens)[number]) => {
    const some = ranked.filter((one) => one.when === whens.indexOf(when)).map(({ message }) => message);
    const most = Math.max(40, Math.ceil(messages.length / 60));
    for (let from = 0; from < some.length; ) {
      const chunk = some.slice(from, from + 1 + Math.floor(dice() * most * 2));
      from += chunk.length;
      await shop.deliver(chunk);
      if (dice() < 0.3) await shop.settle();
      done += chunk.length;
      progress(done, 'messages');
    }
    await shop.settle();
  };
  await deliver('early');
  await deliver('mistake');
  const undone = await shop.undoMergesOf(mistakes.map(({ emailOf }) => emailOf));
  const buyers = new Set(sales.flatMap(({ records }) => records.map(({ person }) => person)));
  const erased = people.filter((person) => person.isErased && buyers.has(person));
  await shop.erase(erased);
  await shop.settle();
  await deliver('late');
  return { merges_undone: undone, erased: erased.length };
}

const viaRank = (via: Message['via'], arrival: Arrival): number =>
  (arrival === 'provider first' ? ['stripe', 'shopify', 'csv', 'api'] : ['api', 'csv', 'shopify', 'stripe']).indexOf(
    via,
  );

async function checkAll(
  shop: Shop,
  book: Book,
  isDecided: boolean,
  note: (when: string, faults: readonly string[]) => void,
) {
  const when = isDecided ? 'decided' : 'undecided';
  const revenue = await compareRevenue(shop, book, isDecided, true);
  note(when, revenue.faults);
  const matches = await checkMatches(shop, book, isDecided);
  note(when, matches.faults);
  note(when, await checkTotals(shop));
  return { ...revenue, ...matches };
}
