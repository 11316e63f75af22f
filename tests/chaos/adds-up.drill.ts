import { createClickHouse } from '@tributary/clickhouse';
import { replay } from '@tributary/domain/attribution';
import { compareAmounts, fromMinorUnits, sumAmounts } from '@tributary/rules';
import { Book, conversionsOf, fillDelivery, fillFast, type Household, levels, openMarket } from '@tributary/sandbox';
import { buildApiKey, type Drill, openApi, openDrillKit, openWarehouse } from '@tributary/testkit';

/** These make some two thousand conversions, and a million. */
const sizes = {
  small: { people: 3_000, cells: 60 },
  full: { people: 1_600_000, cells: 1_000 },
} as const;
const seed = 20_261_115;
const singleModels = ['last_touch', 'first_touch', 'last_non_direct'] as const;
const models = [...singleModels, 'linear', 'time_decay', 'position_based'] as const;
const fields = [
  'spend',
  'outcome_count',
  'outcome_value',
  'outcome_count_first_payment',
  'attributed_outcome_count',
] as const;

type Row = Readonly<Record<string, unknown>> & { readonly campaign_id: string };

/** Reports over a market, added up, and their figures taken apart again. */
export const drill: Drill = {
  name: 'adds-up',
  promise:
    'Rows and the rest make up all conversions at every level, and the rows of an explanation add up to its figure exactly.',

  async run({ size, progress }) {
    const { people, cells } = sizes[size];
    const kit = await openDrillKit('drill-adds-up', ['postgres', 'redis', 'clickhouse']);
    const warehouse = await openWarehouse(kit);
    const settings = { url: kit.clickhouseUrl, database: kit.clickhouseDatabase, requestTimeoutMs: 600_000 };
    const clickhouse = createClickHouse(settings);
    const api = await openApi(kit, { clickhouse });
    const faults: string[] = [];
    const market = openMarket({
      seed,
      people,
      campaigns: 24,
      days: 90,
      timeZone: 'America/Santiago',
      currencies: ['USD', 'CLP', 'EUR', 'KWD'],
      reportingCurrency: 'USD',
      touchesPerPerson: 8,
    });
    const { profileId, reportingCurrency } = market;
    try {
      const book = new Book(market);
      let [payments, cash] = [0, 0n];
      const watch = (household: Household) => {
        book.add(household);
        for (const { conversionType, value } of conversionsOf(market, household)) {
          if (conversionType !== 'payment_received') continue;
          payments += 1;
          cash += value;
        }
      };
      const engines = { app: kit.app, system: kit.system, clickhouse };
      await fillFast(market, engines, { isSearchable: false, watch, progress });
      const days = await fillDelivery(market, book.delivery.rows(), engines);
      const { signal } = new AbortController();
      await replay(engines, { profileId, cause: 'drill', now: () => new Date(), signal });

      const { headers } = await buildApiKey(kit.app, profileId, {
        scopes: ['campaigns:read'],
        requestsPerMinute: 600_000,
      });
      const read = async (path: string, query: Readonly<Record<string, string>>) => {
        const url = `/api/v1${path}?${new URLSearchParams(query)}`;
        const response = await api.fastify.inject({ method: 'GET', url, headers: { ...headers } });
        if (response.statusCode !== 200) throw new Error(`${url}: ${response.body}`);
        return response.json();
      };
      const listAll = async (query: Readonly<Record<string, string>>): Promise<Row[]> => {
        const rows: Row[] = [];
        for (let cursor = ''; ; ) {
          const page = await read('/campaigns', { limit: '100', ...query, ...(cursor && { cursor }) });
          rows.push(...page.data);
          if (!page.pagination.has_next) return rows;
          cursor = page.pagination.cursor;
        }
      };

      // All of it, under the models of one credit, at all levels.
      const whole = { date_from: '2025-12-31', date_to: '2026-04-02' };
      let sums = 0;
      for (const model of singleModels) {
        for (const level of levels) {
          const query = { ...whole, model, level };
          const parts = [...(await listAll(query)), (await read('/campaigns/unattributed', query)).data];
          const add = (figure: string) => sumAmounts(parts.map((row) => String(row[figure])));
          const expected = {
            attributed_outcome_count: String(book.totals.conversions),
            outcome_count: String(payments),
            outcome_value: fromMinorUnits(cash, reportingCurrency),
          };
          for (const [figure, total] of Object.entries(expected)) {
            sums += 1;
            if (compareAmounts(add(figure), total) !== 0)
              faults.push(`${model} ${level} ${figure}: ${add(figure)} of ${total}`);
          }
          progress(sums, 27, 'sums');
        }
      }

      // Single figures, taken apart.
      const dice = numbersFrom(seed);
      const pick = <T>(from: readonly T[]): T => from[Math.floor(dice() * from.length)] as T;
      let rowsSeen = 0;
      for (let cell = 0; cell < cells; cell += 1) {
        const first = Math.floor(dice() * market.days);
        const length = size === 'full' ? 0 : Math.floor(dice() * 20);
        const range = { date_from: dateOf(market.from, first), date_to: dateOf(market.from, first + length) };
        const query = { ...range, model: pick(models), level: pick(levels) };
        const field = pick(fields);
        const rows = await listAll(query);
        const isRest = field !== 'spend' && dice() < 0.1;
        const row = isRest ? (await read('/campaigns/unattributed', query)).data : pick(rows);
        if (!row) continue;
        const types = Object.keys((row.attributed_outcomes_by_type ?? {}) as object);
        const type = field === 'attributed_outcome_count' && types.length > 0 && dice() < 0.5 ? pick(types) : undefined;
        const figure = type ? (row.attributed_outcomes_by_type as Record<string, number>)[type] : row[field];
        const asked = { ...query, field, entity_id: isRest ? 'unattributed' : row.campaign_id, ...(type && { type }) };
        const explained = await explainAll(read, asked);
        rowsSeen += explained.rows;
        const isSame =
          Number(explained.value) === figure &&
          compareAmounts(explained.sum, explained.contributes) === 0 &&
          explained.rows === explained.rowCount &&
          (field === 'spend' || compareAmounts(explained.sum, explained.value) === 0);
        if (!isSame) faults.push(`${JSON.stringify(asked)}: ${JSON.stringify(explained)}, shown ${figure}`);
        progress(cell + 1, cells, `${rowsSeen} rows, ${faults.length} faults`);
      }
      return {
        passed: faults.length === 0 && book.totals.conversions > 0,
        conversions: book.totals.conversions,
        touches: book.totals.touches,
        delivery_rows: days,
        sums,
        cells,
        explained_rows: rowsSeen,
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

type Read = (
  path: string,
  query: Readonly<Record<string, string>>,
) => Promise<{
  // biome-ignore lint/suspicious/noExplicitAny: as the contract declares it, and the API checks it here.
  readonly data: any;
  readonly pagination: { readonly has_next: boolean; readonly cursor: string };
}>;

/** The rows of all pages, added up. */
async function explainAll(read: Read, asked: Readonly<Record<string, string>>) {
  let [sum, rows] = ['0', 0];
  for (let cursor = ''; ; ) {
    const { data, pagination } = await read('/explain', { limit: '200', ...asked, ...(cursor && { cursor }) });
    const page: { contributes: string }[] = [...data.conversions, ...data.delivery];
    sum = sumAmounts([sum, ...page.map(({ contributes }) => contributes)]);
    rows += page.length;
    if (!pagination.has_next) {
      return { value: String(data.value), contributes: String(data.contributes), rowCount: data.row_count, sum, rows };
    }
    cursor = pagination.cursor;
  }
}

const dateOf = (from: number, day: number): string => new Date(from + day * 86_400_000).toISOString().slice(0, 10);

/** The same numbers for the same seed, between 0 and 1. */
function numbersFrom(start: number): () => number {
  let state = start;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
