import { type Ledger, sweep } from '@tributary/postgres';

/** A bad row waits for a replay as long as it lives. What is counted by day lives as long. */
export async function pruneBadVisits(
  system: Ledger,
  now: Date,
  lifeDays: number,
  signal: AbortSignal,
): Promise<number> {
  const before = new Date(now.getTime() - lifeDays * 86_400_000);
  await sweep(
    system,
    { table: 'refused_visits', key: ['profile_id', 'day', 'reason', 'teller'], age: 'day', before },
    signal,
  );
  await sweep(system, { table: 'bad_visit_days', key: ['profile_id', 'day'], age: 'day', before }, signal);
  return sweep(system, { table: 'bad_visits', key: ['profile_id', 'id'], age: 'received_at', before }, signal);
}
