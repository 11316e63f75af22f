import { createClickHouse } from '@tributary/clickhouse';
import { replay } from '@tributary/domain/measurement/attribution/module.ts';
import { Book, conversionsOf, type Household, type Market, openMarket } from '@tributary/market';
import { compareAmounts, fromMinorUnits, sumAmounts } from '@tributary/rules';
import { buildApiKey, type Drill, openApi, openDrillKit, openWarehouse } from '@tributary/testkit';
import { fillDelivery, fillFast } from '@tributary/testkit/market';
import { attributionModelNames, dayMs, entityLevels, rowFields, singleModels } from '@tributary/vocabulary';
import { numbersFrom } from './numbers-from.ts';
import { openReports, type Reports } from './report-reader.ts';

/** Yields about two thousand and a million conversions. */
const sizes = {
  small: { people: 3_000, cells: 60, mostDays: 20 },
  full: { people: 1_600_000, cells: 1_000, mostDays: 1 },
} as const;
const seed = 20_261_115;

/** Adds up report rows of a generated market, then checks that the explanation of a figure adds up to it. */
export const drill: Drill = {
  name: 'adds-up',
  promise:
    'At every level, report rows and the unattributed row add up to all conversions, and the rows of an explanation add up to its figure exactly.',

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
      const added = await checkSums(reports, book, progress);
      const explained = await checkExplanations(reports, market, { cells, mostDays }, progress);
      const faults = [...added.faults, ...explained.faults];
      return {
        passed: faults.length === 0 && explained.cells === cells,
        conversions: book.book.totals.conversions,
        touches: book.book.totals.touches,
        delivery_rows: days,
        sums: added.sums,
        cells: explained.cells,
        explained_rows: explained.rows,
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

/** The market's own totals, plus cash payments. */
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

  /** The totals that the report rows and the unattributed row must add up to. */
  totals(): Record<string, string> {
    return {
      attributed_outcome_count: String(this.book.totals.conversions),
      outcome_count: String(this.payments),
      outcome_value: fromMinorUnits(this.cash, this.#market.reportingCurrency),
    };
  }
}

type Progress = (done: number, total: number, note: string) => void;

/** Adds up reports over the whole market, for every single-touch model and every level. */
async function checkSums(reports: Reports, book: CashBook, progress: Progress) {
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

/** Picks random figures, ten per report, and compares each with the rows of its explanation. */
async function checkExplanations(
  reports: Reports,
  market: Market,
  { cells, mostDays }: { readonly cells: number; readonly mostDays: number },
  progress: Progress,
) {
  const random = numbersFrom(seed);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const faults: string[] = [];
  let [done, rows] = [0, 0];
  while (done < cells) {
    const first = Math.floor(random() * market.days);
    const last = first + Math.floor(random() * mostDays);
    const range = { date_from: dateOf(market.from, first), date_to: dateOf(market.from, last) };
    const query = { ...range, model: pick(attributionModelNames), level: pick(entityLevels) };
    const reported = await reports.rows(query);
    if (reported.length === 0) continue;
    const rest = await reports.rest(query);
    for (let nth = 0; nth < 10 && done < cells; nth += 1) {
      const field = pick(rowFields);
      const row = field !== 'spend' && random() < 0.1 ? rest : pick(reported);
      const types = Object.keys(row.attributed_outcomes_by_type);
      const type = field === 'attributed_outcome_count' && types.length > 0 ? pick([...types, undefined]) : undefined;
      const figure = type === undefined ? row[field] : row.attributed_outcomes_by_type[type];
      const figureQuery = { ...query, field, entity_id: row.campaign_id, ...(type !== undefined && { type }) };
      const explained = await reports.explain(figureQuery);
      const isSame =
        Number(explained.value) === figure &&
        explained.rows === explained.rowCount &&
        compareAmounts(explained.sum, explained.contributes) === 0 &&
        (field === 'spend' || compareAmounts(explained.sum, explained.value) === 0);
      if (!isSame) faults.push(`${JSON.stringify(figureQuery)}: ${JSON.stringify(explained)}, reported ${figure}`);
      rows += explained.rows;
      done += 1;
      progress(done, cells, `${rows} rows, ${faults.length} faults`);
    }
  }
  return { cells: done, rows, faults };
}

const dateOf = (from: number, day: number): string => new Date(from + day * dayMs).toISOString().slice(0, 10);
