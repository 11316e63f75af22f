import type { Row } from '@tributary/clickhouse';
import { calibrate, guessTactic, type Measured, shareOut, timesOf } from '@tributary/rules';
import { type EntityLevel, limits, type TacticName, tactics } from '@tributary/vocabulary';
import { type Fit, listTactics } from './store.ts';
import { type Asking, type HoldingTest, readSpends, readTests, type Spends } from './tests.ts';

export type Served = Fit & { readonly creditedFrom: Date; readonly creditedUntil: Date };

/** A campaign, or an ad or ad set that was tested by itself, as far as all days of the fit tell. Amounts are minor units. */
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
  /** Tests that moved something. */
  readonly tests: readonly HoldingTest[];
  /** What the queries of credits take. */
  readonly weights: Weights;
}

export interface Weights {
  readonly tested: readonly string[];
  readonly units: readonly string[];
  readonly times: readonly number[];
  readonly doubts: readonly number[];
}

/** Everything counts once. */
export const unweighed: Weights = { tested: [], units: [], times: [], doubts: [] };

/** What tests make of the credits of a fit, for some of its days. Undefined: no test says anything of what the fit saw. */
export async function readCalibration(fit: Served, days: Days, context: Asking): Promise<Calibration | undefined> {
  const holding = await readTests(context);
  if (holding.length === 0) return undefined;
  const calibration = await calibrateBy(holding, fit, days, context);
  return calibration.tests.length === 0 ? undefined : calibration;
}

interface Days {
  readonly from: Date;
  readonly until: Date;
}

/** The same by whichever tests there are; without any it is what paths say, and how wrong that may be. */
export async function calibrateBy(
  holding: readonly HoldingTest[],
  fit: Served,
  days: Days,
  context: Asking,
): Promise<Calibration> {
  const { caller, clickhouse, signal } = context;
  const tested = holding
    .flatMap(({ levels }) => [...levels])
    .flatMap(([id, level]) => (level === 'campaign' ? [] : id));
  const fitted = { profile_id: caller.profileId, fit_id: fit.id, fitted_model: 'data_driven' } as const;
  const asked = { ...fitted, ...days, ...unweighed, tested, level: 'campaign', moment: 'now' } as const;
  const [rows, [anyway], spends] = await Promise.all([
    clickhouse.query('model_list_units', { ...asked, limit: limits.models.calibrated }, { signal }),
    clickhouse.query('model_read_anyway', { ...fitted, ...days }, { signal }),
    readSpends(fit.creditedFrom, fit.creditedUntil, context),
  ]);
  const tests = holding.filter((test) => rows.some((row) => isUnder(row, test)));
  const units = calibrateUnits(rows, tests, await readKinds(rows, context), await costsOf(rows, spends));
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
      times: moved.map((one, place) =>
        timesOf(one, Number(rows[place]?.credit_of_period), Number(anyway?.of_some ?? 0)),
      ),
      doubts: units.map(({ credit, caused: { error } }) => (credit > 0 ? error / credit : 0)),
    },
  };
}

type UnitRow = Row<'model_list_units'>;

const levelOf = ({ unit, campaign_id: campaign, ad_set_id: adSet }: UnitRow): EntityLevel =>
  unit === campaign ? 'campaign' : unit === adSet ? 'ad_set' : 'ad';

const isUnder = ({ unit, campaign_id: campaign, ad_set_id: adSet }: UnitRow, { levels }: HoldingTest): boolean =>
  [unit, adSet, campaign].some((id) => levels.has(id));

function calibrateUnits(
  rows: readonly UnitRow[],
  tests: readonly HoldingTest[],
  kinds: readonly TacticName[],
  costs: readonly number[],
): Unit[] {
  const known = rows.map((row, place) => {
    const tactic = kinds[place] as TacticName;
    return { credit: Number(row.credit), spend: costs[place] ?? 0, kind: tactic, factor: tactics[tactic].factor };
  });
  const found = tests.map(({ perSpent, ...test }) => {
    const campaigns = rows.flatMap((row, place) => (isUnder(row, { perSpent, ...test }) ? place : []));
    const spent = campaigns.reduce((sum, place) => sum + (costs[place] ?? 0), 0);
    return { campaigns, found: { value: perSpent.value * spent, error: perSpent.error * spent } };
  });
  const caused = calibrate(known, found);
  return rows.map((row, place) => ({
    id: row.unit,
    level: levelOf(row),
    campaignId: row.campaign_id,
    campaignName: row.campaign_name,
    tactic: kinds[place] as TacticName,
    isTested: found.some(({ campaigns }) => campaigns.includes(place)),
    credit: Number(row.credit),
    spend: costs[place] ?? 0,
    caused: caused[place] as Measured,
  }));
}

/** What each does: as somebody said of its campaign, or else as it seems. */
async function readKinds(rows: readonly UnitRow[], { caller, ledger }: Asking): Promise<TacticName[]> {
  const campaigns = [...new Set(rows.map(({ campaign_id: id }) => id))];
  const said = await ledger.transaction((tx) => listTactics(tx, caller.profileId, campaigns), { readOnly: true });
  return rows.map(
    ({ campaign_id: id, campaign_name: name, most_channel: channel }) => said.get(id) ?? guessTactic({ name, channel }),
  );
}

/** What each cost in the days of the fit. What was tested apart is no cost of the rest of its campaign or ad set. */
async function costsOf(rows: readonly UnitRow[], spends: Spends): Promise<number[]> {
  const told: number[] = [];
  for (const row of rows) told.push(await spends.of(row.unit, levelOf(row)));
  const ids = new Set(rows.map(({ unit }) => unit));
  const apart = new Map<string, number>();
  rows.forEach((row, place) => {
    const above = [row.ad_set_id, row.campaign_id].find((id) => id !== row.unit && ids.has(id));
    if (levelOf(row) !== 'campaign' && above) apart.set(above, (apart.get(above) ?? 0) + (told[place] ?? 0));
  });
  return rows.map(({ unit }, place) => Math.max(0, (told[place] ?? 0) - (apart.get(unit) ?? 0)));
}
