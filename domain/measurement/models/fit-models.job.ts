import { createHash } from 'node:crypto';
import type { ClickHouse, Row } from '@tributary/clickhouse';
import { withLinks } from '@tributary/domain/measurement/attribution';
import type { Postgres } from '@tributary/postgres';
import { creditFitted, type FittedPath, type FittedRule, fitterOf, ratio, ruleOf } from '@tributary/rules';
import { dayMs, type FitRefusal, type FittedModel, fittedModelNames, limits } from '@tributary/vocabulary';
import { beginFit, endFit } from './store.ts';
import { readTypes, type Types } from './types.ts';

export interface Fitting {
  readonly app: Postgres;
  /** A client with the long timeout for statements over a whole profile. */
  readonly clickhouse: ClickHouse;
  readonly now: () => Date;
}

interface FitJob {
  readonly profileId: string;
  readonly fitId: string;
}

/** The period of a fit. Derived from the time of the request, so that a second run of the job gives the same result. */
interface Span {
  readonly touchesFrom: Date;
  readonly from: Date;
  readonly until: Date;
}

/** Caps the history per customer: only the most recent 400 events are used for fitting. */
const maxEvents = 400;
/** Shares of a 16-bit hash. */
const allShares = 65_536;
const rowsOfInsert = 10_000;

/** Safe to run twice: rows of a fit are rewritten identically, and an ended fit is left unchanged. */
export async function fitModels(engines: Fitting, job: FitJob, signal: AbortSignal): Promise<void> {
  const { app, clickhouse, now } = engines;
  const { profileId, fitId } = job;
  const ledger = app.forProfile(profileId);
  const fit = await ledger.transaction((tx) => beginFit(tx, profileId, fitId));
  if (!fit) return;
  const span = spanOf(fit.requestedAt);
  const end = (ended: Omit<Parameters<typeof endFit>[3], 'creditedFrom' | 'creditedUntil'>) =>
    ledger.transaction((tx) =>
      endFit(tx, profileId, fitId, { ...ended, creditedFrom: span.from, creditedUntil: span.until }, now()),
    );
  const period = { profile_id: profileId, from: span.from, until: span.until };
  const [found] = await clickhouse.query('model_read_purchases', period, { signal });
  const purchases = Number(found?.purchases ?? 0);
  const value = Number(found?.value ?? 0);
  const seenPct = ratio(Number(found?.seen ?? 0), value, 100) ?? 0;
  const reason = refusalOf(purchases, seenPct);
  if (reason) return end({ state: 'refused', reason, purchases, seenPct });
  const types = await readTypes(clickhouse, period, signal);
  const { rules, people, fingerprints } = await learn(engines, profileId, span, types, signal);
  await creditAll(clickhouse, job, span, types, rules, signal);
  await end({ state: 'done', reason: null, purchases, seenPct, people, fingerprints });
}

export function refusalOf(purchases: number, seenPct: number): FitRefusal | null {
  if (purchases < limits.models.purchases) return 'too_thin';
  return seenPct < limits.models.seenPct ? 'too_little_seen' : null;
}

export const spanOf = (requestedAt: Date): Span => ({
  touchesFrom: new Date(+requestedAt - limits.models.touchDays * dayMs),
  from: new Date(+requestedAt - limits.models.purchaseDays * dayMs),
  until: requestedAt,
});

type Rules = ReadonlyMap<FittedModel, FittedRule>;

/** Streams the histories of a sample of customers into the fitter of every model. */
async function learn({ app, clickhouse }: Fitting, profileId: string, span: Span, types: Types, signal: AbortSignal) {
  const watch = {
    types: types.count,
    from: (+span.from - +span.touchesFrom) / dayMs,
    until: (+span.until - +span.touchesFrom) / dayMs,
    lookbackDays: limits.lookback.days.default,
  };
  const fitters = fittedModelNames.map((model) => fitterOf(model, watch));
  const period = { profile_id: profileId, from: span.touchesFrom, until: span.until };
  const [counted] = await clickhouse.query('model_count_people', period, { signal });
  const peopleCount = Math.max(1, Number(counted?.people ?? 0));
  const share = Math.min(allShares, Math.ceil((allShares * limits.models.people) / peopleCount));
  let people = 0;
  await withLinks({ app, clickhouse }, profileId, async (batchId) => {
    const parameters = { ...period, batch_id: batchId, share, most: maxEvents };
    for await (const row of clickhouse.stream('model_list_histories', parameters, { signal })) {
      const history = { at: row.at, type: row.source_ids.map(types.of), boughtAt: row.bought_at };
      for (const fitter of fitters) fitter.add(history);
      people += 1;
    }
  });
  const rules = new Map<FittedModel, FittedRule>();
  const fingerprints: Record<string, string> = {};
  for (const [index, model] of fittedModelNames.entries()) {
    const learned = fitters[index]?.fit();
    fingerprints[model] = createHash('sha256').update(JSON.stringify(learned)).digest('hex');
    rules.set(model, ruleOf(model, learned as never));
    signal.throwIfAborted();
  }
  return { rules, people, fingerprints };
}

async function creditAll(
  clickhouse: ClickHouse,
  { profileId, fitId }: FitJob,
  { from, until }: Span,
  types: Types,
  rules: Rules,
  signal: AbortSignal,
): Promise<void> {
  let lines: string[] = [];
  let batch = 0;
  /** A batch is written while the next one is computed. */
  let writing: Promise<void> = Promise.resolve();
  const write = async () => {
    await writing;
    writing = clickhouse.insertLines('model_credits', lines.join(''), { signal, token: `${fitId}-${batch}` });
    // Prevents an unhandled rejection when the loop throws before this promise is awaited.
    writing.catch(() => {});
    lines = [];
    batch += 1;
  };
  const period = { profile_id: profileId, from, until };
  for await (const row of clickhouse.stream('model_list_paths', period, { signal })) {
    const credited = creditsOf(row, types, rules);
    lines.push(`${JSON.stringify({ profile_id: profileId, fit_id: fitId, ...credited })}\n`);
    if (lines.length >= rowsOfInsert) await write();
  }
  await write();
  await writing;
}

function creditsOf(row: Row<'model_list_paths'>, types: Types, rules: Rules) {
  const { ages, source_ids, lookback_days, conversion_time, conversion_id, part, value } = row;
  const path: FittedPath = {
    at: 0,
    lookbackDays: lookback_days,
    times: ages.map((age) => -age),
    types: source_ids.map(types.of),
  };
  const credits: Record<string, string[]> = {};
  const anyway: Record<string, string> = {};
  for (const [model, rule] of rules) {
    const given = creditFitted(rule, BigInt(value), path);
    credits[model] = given.credits.map(String);
    anyway[model] = String(given.anyway);
  }
  return { conversion_time, conversion_id, part, value, source_ids, credits, anyway };
}
