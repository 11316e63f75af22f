import { findLineages, type Lineage } from '@tributary/domain/advertising/campaigns';
import { dayAfter, isNearTested, listValidTests, type ValidTest } from '@tributary/domain/measurement/experiments';
import {
  type DeliveryPeriod,
  type ReportServices,
  readDeliveryPeriod,
  readEntities,
} from '@tributary/domain/measurement/reports';
import { findDays } from '@tributary/domain/tenancy/tenants';
import type { ProfileContext } from '@tributary/operations';
import { causedBy, dayOf, type Measured, toMinorUnits } from '@tributary/rules';
import { dayMs, type EntityLevel, limits } from '@tributary/vocabulary';

export type ModelContext = Pick<ProfileContext, 'caller' | 'ledger' | 'signal' | 'now'> & ReportServices;

/** A test that applies today, with its effect per unit of money. */
export interface ApplicableTest extends ValidTest {
  /** Caused value per unit spent, both in minor units. */
  readonly perSpent: Measured;
  readonly levels: ReadonlyMap<string, EntityLevel>;
}

/** Spend of entities over some days, in minor units; `unit` is the number of minor units per unit of currency. */
export interface Spends {
  readonly of: (id: string, level: EntityLevel) => Promise<number>;
  readonly currency: string;
  readonly unit: number;
}

/** The newest valid tests whose entities spend about as much per day as when they were tested. */
export async function readTests(context: ModelContext): Promise<ApplicableTest[]> {
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
  const applicable = await Promise.all(
    tests.map(async (test): Promise<ApplicableTest | undefined> => {
      const levels = new Map(test.entityIds.map((id) => [id, levelOf(lineages.get(id))]));
      const spent = await Promise.all([...levels].map(([id, level]) => spends.of(id, level)));
      const perDay = spent.reduce((all, one) => all + one, 0) / limits.models.spendDays;
      if (!isNearTested(test, perDay / spends.unit)) return undefined;
      const perSpent = await measure(test, (test.dailySpend ?? 0) * spends.unit, perDay, context);
      return { ...test, levels, perSpent };
    }),
  );
  return applicable.filter((test) => test !== undefined);
}

/** The entity's own level: the deepest one in its lineage. */
const levelOf = (line: Lineage = {}): EntityLevel => (line.ad ? 'ad' : line.ad_set ? 'ad_set' : 'campaign');

/**
 * The caused value per unit of tested spend. The error grows with the age of the test and with the distance between today's spend and the
 * tested one.
 */
async function measure(
  test: ValidTest,
  testedPerDay: number,
  perDay: number,
  context: ModelContext,
): Promise<Measured> {
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

/** Spend of campaigns, ad sets and ads over a period. */
export async function readSpends(from: Date, until: Date, context: ModelContext): Promise<Spends> {
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
  context: ModelContext,
): Promise<Map<string, number>> {
  const query = { level, model: 'last_touch', limit, ...(only === undefined ? {} : { only }) } as const;
  const rows = await readEntities(delivery, query, context);
  const { currency } = delivery.period;
  return new Map(rows.map(({ entity_id: id, spend }) => [id, Number(toMinorUnits(spend, currency))]));
}
