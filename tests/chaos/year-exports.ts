import { sql } from 'kysely';
import type { Book, Sale } from './year-book.ts';
import { refundedOf } from './year-book.ts';
import type { Checks } from './year-checks.ts';
import { textOf } from './year-money.ts';
import type { Shop } from './year-shop.ts';
import type { Reception } from './year-troubles.ts';

/** Events without a response are retried for this long, while the platform still deduplicates. */
const resendMs = 47.75 * 3_600_000;

/** The sales that the ad platform must receive, each once, with the amount left after refunds on the evening of its first delivery. */
export class ExportBook {
  readonly #received = new Map<Sale, string>();
  readonly #answered = new Set<Sale>();
  /** The time at which a sale without a response was first sent. */
  readonly #firstSent = new Map<Sale, number>();
  /** No longer sent again, because the platform may have the event and would count a copy. */
  readonly #unknown = new Set<Sale>();

  static async begin(shop: Shop): Promise<ExportBook> {
    const [account] = shop.sandbox.book.meta.state.accounts;
    const target = {
      connection_id: shop.connections.ids.get('social_ads'),
      dataset: account?.pixels[0]?.id,
      events: { payment_received: 'Purchase' },
      every_minutes: 1,
    };
    await shop.call('PUT', '/conversion-sync/catalog', { exports: [target] });
    return new ExportBook();
  }

  /** Makes retries due at once: their delays are real minutes, and a simulated day takes seconds. */
  async evening(shop: Shop, book: Book, reception: Reception): Promise<void> {
    await shop.makeExportsDue();
    if (reception === 'unreachable') return;
    const now = shop.kit.clock.now().getTime();
    for (const sale of book.reportedSales()) {
      if (this.#answered.has(sale) || this.#unknown.has(sale)) continue;
      const firstSent = this.#firstSent.get(sale) ?? now;
      this.#firstSent.set(sale, firstSent);
      if (now - firstSent > resendMs) {
        this.#unknown.add(sale);
        continue;
      }
      if (reception !== 'fails' && !this.#received.has(sale))
        this.#received.set(sale, `${textOf(sale.amount - refundedOf(sale), sale.currency)} ${sale.currency}`);
      if (reception === 'accepts') this.#answered.add(sale);
    }
  }

  async check(shop: Shop, checks: Checks): Promise<void> {
    checks.same('exports', 'unknown', await countUnknown(shop), this.#unknown.size);
    const found = shop.sandbox.book.meta.events.kept.map(({ custom_data: data }) => {
      const places = data?.currency === 'CLP' ? 0 : 2;
      return `${data?.value?.toFixed(places)} ${data?.currency}`;
    });
    const wanted = [...this.#received.values()];
    checks.same('exports', 'events', found.length, wanted.length);
    const times = (all: readonly string[]) =>
      new Map([...Map.groupBy(all, (one) => one)].map(([one, of]) => [one, of.length]));
    const [received, expected] = [times(found), times(wanted)];
    for (const one of new Set([...received.keys(), ...expected.keys()]))
      checks.same('exports', one, received.get(one) ?? 0, expected.get(one) ?? 0);
  }
}

/**
 * Read from the ledger. Exports are scheduled by the minute of PostgreSQL's clock, so many simulated days share one run, and the counts of a
 * run are not meaningful here.
 */
async function countUnknown(shop: Shop): Promise<number> {
  const { rows } = await shop.ledger.transaction((tx) =>
    sql<{ n: number }>`SELECT count(*)::int AS n FROM export_events WHERE status = 'unknown'`.execute(tx),
  );
  return rows[0]?.n ?? 0;
}
