import { findLineages, type Lineage } from '@tributary/domain/campaigns';
import { dayAfter, isNearTested, listValidTests, type Tested } from '@tributary/domain/experiments';
import { type DeliveryPeriod, type ReportServices, readDeliveryPeriod, readEntities } from '@tributary/domain/reports';
import { findDays } from '@tributary/domain/tenants';
import type { ProfileContext } from '@tributary/operations';
import { causedBy, dayOf, type Measured, toMinorUnits } from '@tributary/rules';
import { dayMs, type EntityLevel, limits } from '@tributary/vocabulary';

export type Asking = Pick<ProfileContext, 'caller' | 'ledger' | 'signal' | 'now'> & ReportServices;

/** A test that holds today, and what it says that its entities cause with each unit of money. */
export interface HoldingTest extends Tested {
  /** Minor units that were caused by one that was spent. */
  readonly perSpent: Measured;
  readonly levels: ReadonlyMap<string, EntityLevel>;
}

/** What entities cost in some days, in minor units, of which a unit of the currency has so many. */
export interface Spends {
  readonly of: (id: string, level: EntityLevel) => Promise<number>;
  readonly currency: string;
  readonly unit: number;
}

/** The newest tests that are not too old, of entities that cost about as much a day as when they were tested. */
export async function readTests(context: Asking): Promise<HoldingTest[]> {
  const { caller, ledger, now } = context;
  const { profileId } = caller;
  const { tests, lineages } = await ledger.transaction(
    async (tx) => {
      const valid = (await listValidTests(tx, profileId, now)).slice(0, limits.models.tests);
      return {
        tests: valid,
        lineages: await findLineages(
          tx,
          profileId,
          valid.flatMap(({ entityIds }) => entityIds),
        ),
      };
    },
    { readOnly: true },
  );
  if (tests.length === 0) return [];
  const spends = await readSpends(new Date(+now - limits.models.spendDays * dayMs), now, context);
  const judged = await Promise.all(
    tests.map(async (test): Promise<HoldingTest | undefined> => {
      const levels = new Map(test.entityIds.map((id) => [id, levelOf(lineages.get(id))]));
      const spent = await Promise.all([...levels].map(([id, level]) => spends.of(id, level)));
      const perDay = spent.reduce((all, one) => all + one, 0) / limits.models.spendDays;
      if (!isNearTested(test, perDay / spends.unit)) return undefined;
      const perSpent = await measure(test, (test.dailySpend ?? 0) * spends.unit, perDay, context);
      return { ...test, levels, perSpent };
    }),
  );
  return judged.filter((test) => test !== undefined);
}

/** What it is itself: the deepest of its line. */
const levelOf = (line: Lineage = {}): EntityLevel => (line.ad ? 'ad' : line.ad_set ? 'ad_set' : 'campaign');

/**
 * What was caused by each unit of money that was tested. A test is of its own days and spend: the older it is, and the further today's spend is from the tested one, the
 * less sure it is of today.
 */
async function measure(test: Tested, testedPerDay: number, perDay: number, context: Asking): Promise<Measured> {
  const { caller, ledger, clickhouse, signal, now } = context;
  const { startsOn, endsOn, coolDownDays, days, readout } = test;
  const { from, until } = await ledger.transaction(
    (tx) => findDays(tx, caller.profileId, startsOn, dayAfter(endsOn, coolDownDays)),
    { readOnly: true },
  );
  const period = { profile_id: caller.profileId, from, until };
  const [bought] = await clickhouse.query('model_read_purchases', period, { signal });
  const lift = { lift: readout.lift_pct / 100, low: readout.low_pct / 100, high: readout.high_pct / 100 };
  const { value, error } = causedBy(lift, Number(bought?.value ?? 0));
  const age = Math.max(0, +now - +until) / dayMs / limits.experiments.validDays;
  const away = Math.max(perDay / testedPerDay, testedPerDay / perDay);
  const spent = testedPerDay * days;
  return { value: value / spent, error: (error / spent) * (1 + age) * away };
}

/** What campaigns, ad sets and ads cost from one moment to another. */
export async function readSpends(from: Date, until: Date, context: Asking): Promise<Spends> {
  const range = { date_from: dayOf(from), date_to: dayOf(new Date(+until - dayMs)) };
  const delivery = await readDeliveryPeriod(range, context);
  const { currency } = delivery.period;
  const read = (level: EntityLevel, limit: number, only?: string) => listSpends(delivery, level, limit, only, context);
  const campaigns = await read('campaign', limits.models.calibrated);
  const isWhole = campaigns.size < limits.models.calibrated;
  const of: Spends['of'] = async (id, level) => {
    if (level === 'campaign' && (isWhole || campaigns.has(id))) return campaigns.get(id) ?? 0;
    return (await read(level, 1, id)).get(id) ?? 0;
  };
  return { of, currency, unit: Number(toMinorUnits('1', currency)) };
}

async function listSpends(
  delivery: DeliveryPeriod,
  level: EntityLevel,
  limit: number,
  only: string | undefined,
  context: Asking,
): Promise<Map<string, number>> {
  const asked = { level, model: 'last_touch', limit, ...(only === undefined ? {} : { only }) } as const;
  const rows = await readEntities(delivery, asked, context);
  const { currency } = delivery.period;
  return new Map(rows.map(({ entity_id: id, spend }) => [id, Number(toMinorUnits(spend, currency))]));
}
