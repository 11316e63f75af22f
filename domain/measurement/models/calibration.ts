import type { Row } from '@tributary/clickhouse';
import { calibrate, guessTactic, type Measured, shareOut, timesOf } from '@tributary/rules';
import { type EntityLevel, limits, type TacticName, tactics } from '@tributary/vocabulary';
import { type Fit, listTactics } from './store.ts';
import { type ApplicableTest, type ModelContext, readSpends, readTests, type Spends } from './tests.ts';

export type Served = Fit & { readonly creditedFrom: Date; readonly creditedUntil: Date };

/** A campaign, or a separately tested ad or ad set, over all days of the fit. Amounts are in minor units. */
export interface Unit {
  readonly id: string;
  readonly level: EntityLevel;
  readonly campaignId: string;
  readonly campaignName: string;
  readonly tactic: TacticName;
  readonly isTested: boolean;
  readonly credit: number;
  readonly spend: number;
  readonly caused: Measured;
}

export interface Calibration {
  readonly units: ReadonlyMap<string, Unit>;
  /** Tests that cover at least one unit. */
  readonly tests: readonly ApplicableTest[];
  /** Parameters of the credit queries. */
  readonly weights: Weights;
}

export interface Weights {
  readonly tested: readonly string[];
  readonly units: readonly string[];
  readonly times: readonly number[];
  readonly doubts: readonly number[];
}

/** All weights are 1. */
export const unweighed: Weights = { tested: [], units: [], times: [], doubts: [] };

/** Calibrates the credits of a fit with tests, for some of its days. Undefined if no test covers an entity of the fit. */
export async function readCalibration(
  fit: Served,
  days: Days,
  context: ModelContext,
): Promise<Calibration | undefined> {
  const holding = await readTests(context);
  if (holding.length === 0) return undefined;
  const calibration = await calibrateBy(holding, fit, days, context);
  return calibration.tests.length === 0 ? undefined : calibration;
}

interface Days {
  readonly from: Date;
  readonly until: Date;
}

/** The same for the given tests; without tests it returns the fit's own credits and their error. */
export async function calibrateBy(
  holding: readonly ApplicableTest[],
  fit: Served,
  days: Days,
  context: ModelContext,
): Promise<Calibration> {
  const { caller, clickhouse, signal } = context;
  const tested = holding
    .flatMap(({ levels }) => [...levels])
    .flatMap(([id, level]) => (level === 'campaign' ? [] : id));
  const fitted = { profile_id: caller.profileId, fit_id: fit.id, fitted_model: 'data_driven' } as const;
  const parameters = { ...fitted, ...days, ...unweighed, tested, level: 'campaign', moment: 'now' } as const;
  const [rows, [anyway], spends] = await Promise.all([
    clickhouse.query('model_list_units', { ...parameters, limit: limits.models.calibrated }, { signal }),
    clickhouse.query('model_read_anyway', { ...fitted, ...days }, { signal }),
    readSpends(fit.creditedFrom, fit.creditedUntil, context),
  ]);
  const tests = holding.filter((test) => rows.some((row) => isUnder(row, test)));
  const units = calibrateUnits(rows, tests, await readTactics(rows, context), await costsOf(rows, spends));
  const moved = shareOut(
    units.map(({ credit }) => credit),
    units.map(({ caused }) => caused),
    Number(anyway?.of_all ?? 0),
  );
  return {
    units: new Map(units.map((unit) => [unit.id, unit])),
    tests,
    weights: {
      tested,
      units: units.map(({ id }) => id),
      times: moved.map((one, index) =>
        timesOf(one, Number(rows[index]?.credit_of_period), Number(anyway?.of_some ?? 0)),
      ),
      doubts: units.map(({ credit, caused: { error } }) => (credit > 0 ? error / credit : 0)),
    },
  };
}

type UnitRow = Row<'model_list_units'>;

const levelOf = ({ unit, campaign_id: campaign, ad_set_id: adSet }: UnitRow): EntityLevel =>
  unit === campaign ? 'campaign' : unit === adSet ? 'ad_set' : 'ad';

const isUnder = ({ unit, campaign_id: campaign, ad_set_id: adSet }: UnitRow, { levels }: ApplicableTest): boolean =>
  [unit, adSet, campaign].some((id) => levels.has(id));

function calibrateUnits(
  rows: readonly UnitRow[],
  tests: readonly ApplicableTest[],
  unitTactics: readonly TacticName[],
  costs: readonly number[],
): Unit[] {
  const priors = rows.map((row, index) => {
    const tactic = unitTactics[index] as TacticName;
    return { credit: Number(row.credit), spend: costs[index] ?? 0, kind: tactic, factor: tactics[tactic].factor };
  });
  const found = tests.map(({ perSpent, ...test }) => {
    const campaigns = rows.flatMap((row, index) => (isUnder(row, { perSpent, ...test }) ? index : []));
    const spent = campaigns.reduce((sum, index) => sum + (costs[index] ?? 0), 0);
    return { campaigns, found: { value: perSpent.value * spent, error: perSpent.error * spent } };
  });
  const caused = calibrate(priors, found);
  return rows.map((row, index) => ({
    id: row.unit,
    level: levelOf(row),
    campaignId: row.campaign_id,
    campaignName: row.campaign_name,
    tactic: unitTactics[index] as TacticName,
    isTested: found.some(({ campaigns }) => campaigns.includes(index)),
    credit: Number(row.credit),
    spend: costs[index] ?? 0,
    caused: caused[index] as Measured,
  }));
}

/** The tactic of each unit: as set for its campaign, otherwise guessed from name and channel. */
async function readTactics(rows: readonly UnitRow[], { caller, ledger }: ModelContext): Promise<TacticName[]> {
  const campaigns = [...new Set(rows.map(({ campaign_id: id }) => id))];
  const ownTactics = await ledger.transaction((tx) => listTactics(tx, caller.profileId, campaigns), { readOnly: true });
  return rows.map(
    ({ campaign_id: id, campaign_name: name, most_channel: channel }) =>
      ownTactics.get(id) ?? guessTactic({ name, channel }),
  );
}

/** The cost of each unit during the fit. Separately tested ads and ad sets are subtracted from their campaign or ad set. */
async function costsOf(rows: readonly UnitRow[], spends: Spends): Promise<number[]> {
  const reported: number[] = [];
  for (const row of rows) reported.push(await spends.of(row.unit, levelOf(row)));
  const ids = new Set(rows.map(({ unit }) => unit));
  const apart = new Map<string, number>();
  rows.forEach((row, index) => {
    const above = [row.ad_set_id, row.campaign_id].find((id) => id !== row.unit && ids.has(id));
    if (levelOf(row) !== 'campaign' && above) apart.set(above, (apart.get(above) ?? 0) + (reported[index] ?? 0));
  });
  return rows.map(({ unit }, index) => Math.max(0, (reported[index] ?? 0) - (apart.get(unit) ?? 0)));
}
