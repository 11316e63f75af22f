import type { Settings } from '@tributary/config';
import { countBadVisits } from '@tributary/domain/ingestion/room.ts';
import { createPostgres } from '@tributary/postgres';
import { dayMs } from '@tributary/vocabulary';
import { catalogue, countSetAside, listFailedJobs } from '@tributary/work';
import { type Finding, ok, wrong } from './finding.ts';

/** What background work left behind: jobs that failed for good, what queues set aside, and visits that could not be understood. */
export async function examineWork(settings: Settings, now = new Date()): Promise<Finding[]> {
  const system = createPostgres({ url: settings.databaseSystemUrl, poolSize: 1 });
  const since = new Date(now.getTime() - dayMs);
  try {
    const failed = await listFailedJobs(system.unbound, since);
    const bad = await countBadVisits(system.unbound, since, mostCounted);
    const setAside = await countSetAside(system, {});
    return [...judgeJobs(failed), judgeSetAside(setAside), judgeVisits(bad)];
  } finally {
    await system.close();
  }
}

const mostCounted = 100_000;
/** A site in a thousand sends a broken visit now and then; more than this of a day is somebody's mistake. */
const manyVisits = 1_000;

function judgeJobs(failed: Awaited<ReturnType<typeof listFailedJobs>>): Finding[] {
  if (failed.length === 0) return [ok('jobs', 'none failed since yesterday')];
  return failed.map(({ name, count, lastAt }) => {
    const about =
      Object.values(catalogue).find((kind) => kind.name === name)?.about ?? 'It is no kind of ours any more.';
    return wrong(
      'jobs',
      `${count} of "${name}" failed since yesterday, the last at ${lastAt.toISOString()}`,
      `${about} The worker's log says why at that time. A job of the schedule runs again by itself; one that somebody asked for must be asked for again.`,
    );
  });
}

function judgeSetAside(items: number): Finding {
  if (items === 0) return ok('set aside', 'nothing');
  return wrong(
    'set aside',
    `${items} piece(s) of background work failed again and again, and wait`,
    '"tributary work list" says which and why. After a fix, "tributary work retry" tries them again.',
  );
}

function judgeVisits({ visits, profiles }: Awaited<ReturnType<typeof countBadVisits>>): Finding {
  const detail =
    visits === 0
      ? 'none since yesterday'
      : `${visits === mostCounted ? 'at least ' : ''}${visits} visit(s) of ${profiles} profile(s) could not be understood since yesterday`;
  if (visits < manyVisits) return ok('bad visits', detail);
  return wrong(
    'bad visits',
    detail,
    'GET /api/v1/tracking/quality says of a profile why. After a fix of ours, "tributary visits replay-bad --profile ID" takes them in.',
  );
}
