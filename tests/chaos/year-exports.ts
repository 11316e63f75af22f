import type { Book, Sale } from './year-book.ts';
import { refundedOf } from './year-book.ts';
import type { Checks } from './year-checks.ts';
import { textOf } from './year-money.ts';
import type { Shop } from './year-shop.ts';

/** Which sales the ad platform has to receive, each once, with what was left of it in the evening on which it was sent. */
export class ExportBook {
  readonly #sent = new Map<Sale, string>();

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
   * Events that failed wait for real minutes, which are long over in the simulated year. A platform whose answers are lost takes events
   * all the same.
   */
  async evening(shop: Shop, book: Book, takesEvents: boolean): Promise<void> {
    await shop.hurryExports();
    if (!takesEvents) return;
    for (const sale of book.known()) {
      const left = sale.amount - refundedOf(sale);
      if (!this.#sent.has(sale)) this.#sent.set(sale, `${textOf(left, sale.currency)} ${sale.currency}`);
    }
  }

  check(shop: Shop, checks: Checks): void {
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
