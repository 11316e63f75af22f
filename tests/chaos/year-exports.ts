import type { Book, Sale } from './year-book.ts';
import { refundedOf } from './year-book.ts';
import type { Checks } from './year-checks.ts';
import { textOf } from './year-money.ts';
import type { Shop } from './year-shop.ts';
import type { Reception } from './year-troubles.ts';

/** Events without a response are retried for this long, while the platform still deduplicates. */
const resendMs = 47.75 * 3_600_000;

/** Which sales the ad platform has to receive, each once, with what was left of it in the evening on which it was sent. */
export class ExportBook {
  readonly #sent = new Map<Sale, string>();
  /** Time of the first attempt of sales without a response. */
  readonly #failed = new Map<Sale, number>();
  /** Sales with an unknown delivery result, which are not retried. */
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

  /**
   * Failed events are retried after minutes of real time, which is short in the simulated year. A platform whose responses are lost still
   * receives the events.
   */
  async evening(shop: Shop, book: Book, reception: Reception): Promise<void> {
    await shop.hurryExports();
    if (reception === 'unreachable') return;
    const now = shop.kit.clock.now().getTime();
    for (const sale of book.known()) {
      if (this.#sent.has(sale) || this.#unknown.has(sale)) continue;
      if (now - (this.#failed.get(sale) ?? now) > resendMs) this.#unknown.add(sale);
      else if (reception === 'accepts')
        this.#sent.set(sale, `${textOf(sale.amount - refundedOf(sale), sale.currency)} ${sale.currency}`);
      else if (!this.#failed.has(sale)) this.#failed.set(sale, now);
    }
  }

  async check(shop: Shop, checks: Checks): Promise<void> {
    checks.same('exports', 'unknown', await countUnknown(shop), this.#unknown.size);
    const found = shop.sandbox.book.meta.events.kept.map(({ custom_data: data }) => {
      const places = data?.currency === 'CLP' ? 0 : 2;
      return `${data?.value?.toFixed(places)} ${data?.currency}`;
    });
    const wanted = [...this.#sent.values()];
    checks.same('exports', 'events', found.length, wanted.length);
    const times = (all: readonly string[]) =>
      new Map([...Map.groupBy(all, (one) => one)].map(([one, of]) => [one, of.length]));
    const [received, expected] = [times(found), times(wanted)];
    for (const one of new Set([...received.keys(), ...expected.keys()]))
      checks.same('exports', one, received.get(one) ?? 0, expected.get(one) ?? 0);
  }
}

/** Number of sales with an unknown result, from the API's list of runs. */
async function countUnknown(shop: Shop): Promise<number> {
  let unknown = 0;
  let cursor: string | null = '';
  while (cursor !== null) {
    const { data, pagination } = await shop.call('GET', `/exports?limit=100${cursor && `&cursor=${cursor}`}`);
    for (const run of data) unknown += run.unknown;
    cursor = pagination.has_next ? pagination.cursor : null;
  }
  return unknown;
}
