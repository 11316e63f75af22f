import { createClickHouse } from '@tributary/clickhouse';
import { replay } from '@tributary/domain/measurement/attribution/module.ts';
import { Book, conversionsOf, type Household, type Market, openMarket } from '@tributary/market';
import { compareAmounts, fromMinorUnits, sumAmounts } from '@tributary/rules';
import { buildApiKey, type Drill, openApi, openDrillKit, openWarehouse } from '@tributary/testkit';
import { fillDelivery, fillFast } from '@tributary/testkit/market';
import { attributionModelNames, dayMs, entityLevels, rowFields, singleModels } from '@tributary/vocabulary';
import { numbersFrom } from './numbers-from.ts';
import { openReports, type Reports } from './report-reader.ts';

/** These make some two thousand conversions, and a million. */
const sizes = {
  small: { people: 3_000, cells: 60, mostDays: 20 },
  full: { people: 1_600_000, cells: 1_000, mostDays: 1 },
} as const;
const seed = 20_261_115;

/** Reports over a market, added up, and their figures taken apart again. */
export const drill: Drill = {
  name: 'adds-up',
  promise:
    'Rows and the rest make up all conversions at every level, and an explanation’s rows add up to its figure exactly.',

  async run({ size, progress }) {
    const { people, cells, mostDays } = sizes[size];
    const kit = await openDrillKit('drill-adds-up', ['postgres', 'redis', 'clickhouse']);
    const warehouse = await openWarehouse(kit);
    const settings = { ...kit.clickhouse, database: kit.clickhouseDatabase, requestTimeoutMs: 600_000 };
    const clickhouse = createClickHouse(settings);
    const api = await openApi(kit, { clickhouse });
    const engines = { app: kit.app, system: kit.system, clickhouse };
    const market = openMarket({
      seed,
      people,
      campaigns: 24,
      timeZone: 'America/Santiago',
      currencies: ['USD', 'CLP', 'EUR', 'KWD'],
      touchesPerPerson: 8,
    });
    try {
      const { profileId } = market;
      const book = new CashBook(market);
      const watch = (household: Household) => book.add(household);
      await fillFast(market, engines, { isSearchable: false, watch, progress });
      const days = await fillDelivery(market, book.book.delivery.rows(), engines);
      const { signal } = new AbortController();
      await replay(engines, { profileId, cause: 'drill', now: () => new Date(), signal });

      const scopes = ['campaigns:read'] as const;
      const { headers } = await buildApiKey(kit.app, profileId, { scopes, requestsPerMinute: 600_000 });
      const reports = openReports(api.fastify, { ...headers });
      const added = await addUp(reports, book, progress);
      const apart = await takeApart(reports, market, { cells, mostDays }, progress);
      const faults = [...added.faults, ...apart.faults];
      return {
        passed: faults.length === 0 && apart.cells === cells,
        conversions: book.book.totals.conversions,
        touches: book.book.totals.touches,
        delivery_rows: days,
        sums: added.sums,
        cells: apart.cells,
        explained_rows: apart.rows,
        faults: faults.length,
        ...(faults[0] && { first: faults[0] }),
      };
    } finally {
      await api.close();
      await clickhouse.close();
      await warehouse.drop();
      await kit.close();
    }
  },
};

/** The market's own book, and what was paid in cash. */
class CashBook {
  readonly #market: Market;
  readonly book: Book;
  payments = 0;
  cash = 0n;

  constructor(market: Market) {
    this.#market = market;
    this.book = new Book(market);
  }

  add(household: Household): void {
    this.book.add(household);
    for (const { conversionType, value } of conversionsOf(this.#market, household)) {
      if (conversionType !== 'payment_received') continue;
      this.payments += 1;
      this.cash += value;
    }
  }

  /** What the rows and the rest must make up. */
  totals(): Record<string, string> {
    return {
      attributed_outcome_count: String(this.book.totals.conversions),
      outcome_count: String(this.payments),
      outcome_value: fromMinorUnits(this.cash, this.#market.reportingCurrency),
    };
  }
}

type Progress = (done: number, total: number, note: string) => void;

/** All of the market, under the models of one credit, at all levels. */
async function addUp(reports: Reports, book: CashBook, progress: Progress) {
  const whole = { date_from: '2025-12-31', date_to: '2026-04-02' };
  const faults: string[] = [];
  let sums = 0;
  for (const model of singleModels) {
    for (const level of entityLevels) {
      const parts = await reports.parts({ ...whole, model, level });
      for (const [figure, total] of Object.entries(book.totals())) {
        const sum = sumAmounts(parts.map((row) => String(row[figure])));
        sums += 1;
        if (compareAmounts(sum, total) !== 0) faults.push(`${model} ${level} ${figure}: ${sum}, not ${total}`);
      }
      progress(sums, 27, 'sums');
    }
  }
  return { sums, faults };
}

/** Figures of rows, ten of a report at a time, held against the rows that they are said to be made of. */
async function takeApart(
  reports: Reports,
  market: Market,
  { cells, mostDays }: { readonly cells: number; readonly mostDays: number },
  progress: Progress,
) {
  const dice = numbersFrom(seed);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(dice() * from.length)] as T;
  const faults: string[] = [];
  let [done, rows] = [0, 0];
  while (done < cells) {
    const first = Math.floor(dice() * market.days);
    const last = first + Math.floor(dice() * mostDays);
    const range = { date_from: dateOf(market.from, first), date_to: dateOf(market.from, last) };
    const query = { ...range, model: pick(attributionModelNames), level: pick(entityLevels) };
    const shown = await reports.rows(query);
    if (shown.length === 0) continue;
    const rest = await reports.rest(query);
    for (let tenth = 0; tenth < 10 && done < cells; tenth += 1) {
      const field = pick(rowFields);
      const row = field !== 'spend' && dice() < 0.1 ? rest : pick(shown);
      const types = Object.keys(row.attributed_outcomes_by_type);
      const type = field === 'attributed_outcome_count' && types.length > 0 ? pick([...types, undefined]) : undefined;
      const figure = type === undefined ? row[field] : row.attributed_outcomes_by_type[type];
      const asked = { ...query, field, entity_id: row.campaign_id, ...(type !== undefined && { type }) };
      const explained = await reports.explain(asked);
      const isSame =
        Number(explained.value) === figure &&
        explained.rows === explained.rowCount &&
        compareAmounts(explained.sum, explained.contributes) === 0 &&
        (field === 'spend' || compareAmounts(explained.sum, explained.value) === 0);
      if (!isSame) faults.push(`${JSON.stringify(asked)}: ${JSON.stringify(explained)}, shown ${figure}`);
      rows += explained.rows;
      done += 1;
      progress(done, cells, `${rows} rows, ${faults.length} faults`);
    }
  }
  return { cells: done, rows, faults };
}

const dateOf = (from: number, day: number): string => new Date(from + day * dayMs).toISOString().slice(0, 10);
