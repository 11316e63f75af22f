import { Book, type DeliveryRow, households, type Market, type MarketOptions, openMarket } from '@tributary/market';
import { dayMs } from '@tributary/vocabulary';

/** The market that all companies of the sandbox share. Created on first use. */
export interface World {
  readonly market: Market;
  /** The final daily figures that the ad platforms report for every ad. */
  readonly adDays: readonly DeliveryRow[];
}

export function createWorld(options: Partial<MarketOptions> & { readonly seed: number }, now: () => Date): World {
  let market: Market | undefined;
  let adDays: readonly DeliveryRow[] | undefined;
  const open = (): Market => {
    const days = options.days ?? 60;
    const start = new Date(now().getTime() - (days - 1) * dayMs).toISOString().slice(0, 10);
    return openMarket({ people: 300, campaigns: 12, days, start, ...options });
  };
  return {
    get market() {
      market ??= open();
      return market;
    },
    get adDays() {
      adDays ??= readAdDays(this.market);
      return adDays;
    },
  };
}

function readAdDays(market: Market): readonly DeliveryRow[] {
  const book = new Book(market);
  for (const household of households(market)) book.add(household);
  return [...book.delivery.rows()].filter(({ level }) => level === 'ad');
}
