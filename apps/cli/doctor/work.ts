import type { Settings } from '@tributary/config';
import { countBadVisits } from '@tributary/domain/traffic/ingestion/module.ts';
import { createPostgres } from '@tributary/postgres';
import { dayMs } from '@tributary/vocabulary';
import { catalogue, countSetAside, listFailedJobs } from '@tributary/work';
import { type Finding, ok, wrong } from './finding.ts';
import { ledgerAddresses } from './ledger-addresses.ts';

/** Problems of background work: permanently failed jobs, parked items, and invalid visits. */
export async function examineWork(settings: Settings, now = new Date()): Promise<Finding[]> {
  const since = new Date(now.getTime() - dayMs);
  const findings: Finding[] = [];
  for (const [suffix, url] of ledgerAddresses(settings, settings.databaseSystemUrl)) {
    const system = createPostgres({ url, poolSize: 1 });
    try {
      const failed = await listFailedJobs(system.unbound, since);
      const bad = await countBadVisits(system.unbound, since, mostCounted);
      const found = [...judgeJobs(failed), judgeParkedWork(await countSetAside(system, {})), judgeVisits(bad)];
      findings.push(...found.map((finding) => ({ ...finding, what: `${finding.what}${suffix}` })));
    } finally {
      await system.close();
    }
  }
  return findings;
}

const mostCounted = 100_000;
/** A large installation has occasional invalid visits; more than this per day indicates a mistake. */
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

function judgeParkedWork(count: number): Finding {
  if (count === 0) return ok('set aside', 'nothing');
  return wrong(
    'set aside',
    `${count} piece(s) of work fail by themselves and wait`,
    '"tributary work list" says which and why. After the cause is gone, "tributary work retry" has them tried again.',
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
