import type { Tx } from '@tributary/postgres';
import type { Pairs } from '@tributary/rules';
import { type ExperimentKind, type ExperimentState, limits, type PowerVerdict } from '@tributary/vocabulary';
import { sql } from 'kysely';

export interface Power {
  readonly smallest_effect_pct: number;
  readonly expected_effect_pct: number;
  readonly verdict: PowerVerdict;
  readonly regions: number;
  readonly purchases_before: number;
}

export interface Readout {
  readonly lift_pct: number;
  readonly low_pct: number;
  readonly high_pct: number;
  readonly chance: number | null;
  readonly source: string | null;
}

export interface Experiment {
  readonly id: string;
  readonly name: string;
  readonly kind: ExperimentKind;
  readonly state: ExperimentState;
  readonly entityIds: readonly string[];
  /** YYYY-MM-DD */
  readonly startsOn: string;
  readonly endsOn: string;
  readonly days: number;
  readonly coolDownDays: number;
  readonly pairs: Pairs | null;
  readonly heldOut: readonly string[] | null;
  readonly seed: number | null;
  readonly power: Power | null;
  readonly readout: Readout | null;
  readonly voidReason: string | null;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly endedAt: Date | null;
}

const columns = sql`id, name, kind, state, entity_ids AS "entityIds", starts_on::text AS "startsOn", ends_on::text AS "endsOn", days,
  cool_down_days AS "coolDownDays", pairs, held_out AS "heldOut", seed, power, readout, void_reason AS "voidReason",
  created_at AS "createdAt", started_at AS "startedAt", ended_at AS "endedAt"`;

export type NewExperiment = Omit<Experiment, 'startedAt' | 'voidReason'> & { readonly dailySpend: number | null };

export async function addExperiment(tx: Tx, profileId: string, experiment: NewExperiment): Promise<Experiment> {
  const json = (value: unknown) => (value === null ? null : JSON.stringify(value));
  const { rows } = await sql<Experiment>`
    INSERT INTO experiments (profile_id, id, name, kind, state, entity_ids, starts_on, ends_on, days, cool_down_days, pairs, held_out, seed, power, readout,
      daily_spend, created_at, ended_at)
    VALUES (${profileId}, ${experiment.id}, ${experiment.name}, ${experiment.kind}, ${experiment.state}, ${experiment.entityIds}::uuid[], ${experiment.startsOn}, ${experiment.endsOn},
      ${experiment.days}, ${experiment.coolDownDays}, ${json(experiment.pairs)}::jsonb, ${experiment.heldOut}::text[], ${experiment.seed}, ${json(experiment.power)}::jsonb,
      ${json(experiment.readout)}::jsonb, ${experiment.dailySpend}, ${experiment.createdAt}, ${experiment.endedAt})
    RETURNING ${columns}`.execute(tx);
  return rows[0] as Experiment;
}

export async function countExperiments(tx: Tx, profileId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::int AS count FROM experiments WHERE profile_id = ${profileId}`.execute(tx);
  return rows[0]?.count ?? 0;
}

export async function findExperiment(
  tx: Tx,
  profileId: string,
  id: string,
  { isLocked = false } = {},
): Promise<Experiment | undefined> {
  const { rows } = await sql<Experiment>`
    SELECT ${columns} FROM experiments WHERE profile_id = ${profileId} AND id = ${id} ${isLocked ? sql`FOR UPDATE` : sql``}`.execute(
    tx,
  );
  return rows[0];
}

/** Ids are sorted by time. */
export async function listNewest(tx: Tx, profileId: string, before: string | undefined, limit: number) {
  const { rows } = await sql<Experiment>`
    SELECT ${columns} FROM experiments
    WHERE profile_id = ${profileId} AND ${before === undefined ? sql`true` : sql`id < ${before}`}
    ORDER BY id DESC LIMIT ${limit}`.execute(tx);
  return rows;
}

/** Whether another region test runs on some of these days, including its cool-down. */
export async function findOverlapping(tx: Tx, profileId: string, one: Experiment): Promise<boolean> {
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM experiments
    WHERE profile_id = ${profileId} AND state = 'running' AND kind = 'regions' AND id <> ${one.id}
      AND starts_on <= ${one.endsOn}::date + ${one.coolDownDays}::int AND ends_on + cool_down_days >= ${one.startsOn}::date
    LIMIT 1`.execute(tx);
  return rows.length > 0;
}

export async function saveState(
  tx: Tx,
  profileId: string,
  id: string,
  changes: {
    readonly state: ExperimentState;
    readonly startedAt?: Date;
    readonly endedAt?: Date;
    readonly readout?: Readout;
    readonly voidReason?: string;
    readonly dailySpend?: number | null;
  },
): Promise<Experiment> {
  const { rows } = await sql<Experiment>`
    UPDATE experiments SET state = ${changes.state}, started_at = coalesce(${changes.startedAt ?? null}, started_at), ended_at = coalesce(${changes.endedAt ?? null}, ended_at),
      readout = coalesce(${changes.readout ? JSON.stringify(changes.readout) : null}::jsonb, readout), void_reason = coalesce(${changes.voidReason ?? null}, void_reason),
      daily_spend = coalesce(${changes.dailySpend ?? null}::numeric, daily_spend)
    WHERE profile_id = ${profileId} AND id = ${id} RETURNING ${columns}`.execute(tx);
  return rows[0] as Experiment;
}

/** The measured effect of entities at their daily spend. */
export interface ValidTest
  extends Pick<Experiment, 'id' | 'entityIds' | 'startsOn' | 'endsOn' | 'days' | 'coolDownDays'> {
  readonly readout: Readout;
  /** Null if unknown. */
  readonly dailySpend: number | null;
}

/** Ended tests that are neither void nor outdated, newest first. */
export async function listValidTests(tx: Tx, profileId: string, now: Date): Promise<ValidTest[]> {
  const { rows } = await sql<ValidTest>`
    SELECT id, entity_ids AS "entityIds", starts_on::text AS "startsOn", ends_on::text AS "endsOn", days, cool_down_days AS "coolDownDays", readout,
      daily_spend::float8 AS "dailySpend" FROM experiments
    WHERE profile_id = ${profileId} AND state = 'ended'
      AND ends_on >= ${now}::date - ${limits.experiments.validDays}::int
    ORDER BY ends_on DESC, id DESC LIMIT ${limits.experiments.max}`.execute(tx);
  return rows;
}

/** A test applies only near its own daily spend: the effect of much more or less spend was not measured. */
export function isNearTested({ dailySpend }: Pick<ValidTest, 'dailySpend'>, spend: number): boolean {
  const times = limits.experiments.validSpendTimes;
  return dailySpend !== null && spend >= dailySpend / times && spend <= dailySpend * times;
}
