import { replay } from '@tributary/domain/measurement/attribution/module.ts';
import { Book, openMarket, ReportBook, type ReportCell } from '@tributary/market';
import { fromMinorUnits, multiplyAmounts, sumAmounts, toMinorUnits } from '@tributary/rules';
import { openTestWithClickHouse } from '@tributary/testkit';
import { fillDelivery, fillFast } from '@tributary/testkit/market';
import { attributionModelNames, entityLevels } from '@tributary/vocabulary';
import { expect, test } from 'vitest';
import { openShop } from './reports.fixture.ts';

const world = await openTestWithClickHouse();

const currency = 'CLP';
const market = openMarket({
  seed: 31,
  people: 300,
  campaigns: 5,
  timeZone: 'America/Santiago',
  currencies: ['USD', 'CLP', 'EUR', 'KWD'],
  reportingCurrency: currency,
});
const range = { date_from: '2026-01-20', date_to: '2026-03-10' };
const isInRange = ({ day }: { readonly day: string }) => day >= range.date_from && day <= range.date_to;

/** The sums of some cells, as a report returns them. */
function outcomesOf(cells: readonly ReportCell[]) {
  const payments = cells.filter(({ conversionType }) => conversionType === 'payment_received');
  const count = (some: readonly ReportCell[]) => some.reduce((sum, { outcomes }) => sum + outcomes, 0);
  const types = Map.groupBy(cells, ({ conversionType }) => conversionType);
  return {
    outcome_count: count(payments),
    outcome_value: Number(
      fromMinorUnits(
        payments.reduce((sum, { revenue }) => sum + revenue, 0n),
        currency,
      ),
    ),
    outcome_count_first_payment: payments.reduce((sum, { newPurchases }) => sum + newPurchases, 0),
    attributed_outcome_count: count(cells),
    attributed_outcomes_by_type: Object.fromEntries(
      [...types].map(([type, some]) => [type, count(some)] as const).filter(([, outcomes]) => outcomes > 0),
    ),
  };
}

test('every row of every report equals the simulated market’s own books, under all models and at all levels', {
  timeout: 300_000,
}, async () => {
  const { kit, clickhouse } = world;
  const engines = { app: kit.app, system: kit.system, clickhouse };
  const [book, reports] = [new Book(market), new ReportBook(market)];
  await fillFast(market, engines, {
    watch: (household) => {
      book.add(household);
      reports.add(household);
    },
  });
  const delivery = [...book.delivery.rows()];
  await fillDelivery(market, delivery, engines);
  const { profileId } = market;
  const { signal } = new AbortController();
  await replay(engines, { profileId, cause: 'test', now: () => new Date(), signal });

  const shop = await openShop(world, { profileId });
  const cells = reports.cells().filter(isInRange);

  for (const model of attributionModelNames) {
    for (const level of entityLevels) {
      const own = cells.filter((cell) => cell.model === model && cell.level === level);
      const reported = Map.groupBy(
        delivery.filter((row) => row.level === level && isInRange(row)),
        ({ entity }) => entity.id,
      );
      const earned = Map.groupBy(own, ({ entityId }) => entityId);
      const spendOf = (id: string) =>
        sumAmounts(
          (reported.get(id) ?? []).map(({ spend, currency: from, day }) => {
            const amount = fromMinorUnits(spend, from);
            return multiplyAmounts(amount, market.rates.convert(amount, from, currency, day)?.rate ?? '0');
          }),
        );
      const ids = new Set([...reported.keys(), ...earned.keys()].filter((id) => id !== null));
      const rows = await shop.list({ ...range, model, level, limit: 7 });
      const shown = new Map(rows.map((row) => [row.campaign_id, row]));
      expect(new Set(shown.keys())).toEqual(ids);
      for (const id of ids) {
        const ofDays = reported.get(id) ?? [];
        const sum = (figure: 'impressions' | 'clicks' | 'reach') => ofDays.reduce((all, row) => all + row[figure], 0);
        expect(shown.get(id)).toMatchObject({
          ...outcomesOf(earned.get(id) ?? []),
          spend: Number(toMinorUnits(spendOf(id), currency)),
          impressions: sum('impressions'),
          clicks: sum('clicks'),
        });
      }
      const rest = await shop.read('/campaigns/unattributed', { ...range, model, level });
      const unattributed = earned.get(null) ?? [];
      const shared = unattributed.filter(({ conversionType }) => conversionType === 'payment_received');
      expect(rest.data).toEqual({
        entity_level: level,
        ...outcomesOf(unattributed),
        partly_credited_count: shared.reduce((sum, { partly }) => sum + partly, 0),
      });
    }
  }
});
