import { raw } from '@tributary/clickhouse';
import { sql } from 'kysely';
import type { AppProcess } from './app-process.ts';
import { until } from './faults-scene.ts';
import type { OutcomeSender, VisitSender } from './faults-senders.ts';
import type { VisitsScene } from './visits-scene.ts';

/** Compares the stored data with the acknowledged data. */
export async function verdict(
  scene: Pick<VisitsScene, 'postgres' | 'profileId' | 'clickhouse' | 'counts'> & { readonly api: AppProcess },
  outcomes: OutcomeSender,
  visits: VisitSender,
  timeoutMs: number,
) {
  const { postgres, profileId, clickhouse } = scene;
  const ledger = postgres.forProfile(profileId);
  await until('every conversion is attributed', timeoutMs, async () => {
    const pending = await ledger.transaction((tx) => sql`SELECT FROM dirty_conversions LIMIT 1`.execute(tx));
    return pending.rows.length === 0;
  });
  const { rows } = await ledger.transaction((tx) =>
    sql<{ key: string; at: Date; amount: string }>`
      SELECT idempotency_key AS key, occurred_at AS at, amount FROM outcomes`.execute(tx),
  );
  const missing = new Map(outcomes.outcomes);
  let wrong = 0;
  for (const { key, at, amount } of rows) {
    if (missing.get(key) !== at.toISOString() || Number(amount) !== 1) wrong += 1;
    missing.delete(key);
  }
  const attributed = await clickhouse.query(
    raw<{ day: string; conversions: string }>(
      `SELECT toString(toDate(conversion_time, 'UTC')) AS day, count() AS conversions FROM attributed_conversions FINAL
       WHERE profile_id = '${profileId}' GROUP BY day`,
    ),
    {},
  );
  const days = Object.entries(Object.groupBy(outcomes.outcomes.values(), (at) => at.slice(0, 10)));
  const wrongDays =
    days.filter(([day, of]) => Number(attributed.find((row) => row.day === day)?.conversions) !== of?.length).length +
    attributed.filter(({ day }) => !days.some(([sentDay]) => sentDay === day)).length;
  const missingVisits = new Set(visits.visits);
  let unknownVisits = 0;
  for await (const { id } of clickhouse.stream(raw<{ id: string }>('SELECT visit_id AS id FROM visits FINAL'), {}))
    if (!missingVisits.delete(id)) unknownVisits += 1;
  const { visits: stored, distinct, bad, deadLetters } = await scene.counts();
  const unexpected = { ...outcomes.strange, ...visits.strange };
  if (Object.keys(unexpected).length > 0) for (const line of failuresOf(scene.api.lines)) console.error(line);
  return {
    passed:
      missing.size === 0 &&
      wrong === 0 &&
      rows.length === outcomes.outcomes.size &&
      wrongDays === 0 &&
      missingVisits.size === 0 &&
      unknownVisits === 0 &&
      stored === visits.visits.size &&
      distinct === stored &&
      bad === 0 &&
      deadLetters === 0 &&
      Object.keys(unexpected).length === 0,
    outcomes: rows.length,
    outcomes_lost: missing.size,
    outcomes_wrong: wrong,
    wrong_days: wrongDays,
    visits: stored,
    visits_lost: missingVisits.size,
    visits_doubled_or_strange: unknownVisits + stored - distinct,
    bad_rows: bad,
    dead_letters: deadLetters,
    strange_answers: unexpected,
  };
}

/** Groups the logged errors of failed requests: one line per kind, with its count. */
export function failuresOf(lines: readonly string[]): string[] {
  const failed = lines.filter((line) => line.includes('"level":"error"') && line.includes('"request_id"'));
  return Object.values(Object.groupBy(failed, (line) => line.slice(line.indexOf('"error"')))).map(
    (alike) => `${alike?.length} times ${alike?.[0]}`,
  );
}
