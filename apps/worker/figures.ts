import { countDifferences } from '@tributary/domain/measurement/reconciliation/module.ts';
import { countEvents } from '@tributary/domain/tenancy/events/module.ts';
import { visitsConsumer } from '@tributary/domain/traffic/ingestion/module.ts';
import { type BackupFolder, newestBackupAt } from '@tributary/platform';
import type { Postgres } from '@tributary/postgres';
import type { Stream } from '@tributary/stream';
import type { Figure } from '@tributary/telemetry';
import { dayMs, differenceKindNames } from '@tributary/vocabulary';
import {
  countedTo,
  countFailedJobs,
  countSetAside,
  countWaiting,
  oldestSeconds,
  type QueueKind,
  queues,
} from '@tributary/work';

/** Metrics of the work that waits for all workers. */
export function workFigures(
  system: Postgres,
  stream: Stream,
  backups: BackupFolder | undefined,
): Record<string, Figure> {
  const perQueue = (help: string, read: (kind: QueueKind) => Promise<number>): Figure => ({
    help,
    label: 'queue',
    readEach: Object.fromEntries(Object.values(queues).map((kind) => [kind.name, () => read(kind)])),
  });
  return {
    ...(backups && {
      tributary_backup_age_seconds: {
        help: 'How old the newest backup is',
        read: ageOfNewest(backups),
      },
    }),
    tributary_queue_waiting: perQueue(`What waits in a queue, counted up to ${countedTo}`, (kind) =>
      countWaiting(system, kind),
    ),
    tributary_queue_oldest_seconds: perQueue(
      'How long the tenant that waits longest in a queue has waited',
      ({ name }) => oldestSeconds(system, name),
    ),
    tributary_queue_set_aside: perQueue('What failed by itself and waits for somebody to look at it', ({ name }) =>
      countSetAside(system, { queue: name }),
    ),
    tributary_reconciliation_differences: {
      help: 'What the last nightly reconciliation of each profile found to differ, by kind',
      label: 'kind',
      readEach: differencesByKind(system),
    },
    tributary_jobs_failed: {
      help: 'Jobs that failed at their last try, of the last days',
      read: () => countFailedJobs(system),
    },
    tributary_visits_waiting: {
      help: 'Messages with visits that are in the log and not stored yet',
      read: () => stream.waiting(visitsConsumer),
    },
    tributary_dead_letters: {
      help: 'Messages that could not be read and wait for somebody to look at them',
      read: () => stream.deadLetters.count(),
    },
    tributary_visits_log_fill: {
      help: 'How full the visits log is, from 0 to 1; full, it refuses visits',
      read: async () => (await stream.fill()).share,
    },
    tributary_provider_webhooks_fill: {
      help: 'Fill level of the provider webhook streams, from 0 to 1; a full stream rejects webhooks',
      label: 'stream',
      readEach: {
        webhooks: async () => (await stream.webhooks.fill()).share,
        'unverified-webhooks': async () => (await stream.unverifiedWebhooks.fill()).share,
      },
    },
    tributary_provider_webhooks_waiting: {
      help: 'Provider webhooks in the streams that are not applied yet',
      read: async () => (await stream.webhooks.waiting()) + (await stream.unverifiedWebhooks.waiting()),
    },
    tributary_dead_letters_fill: {
      help: 'How full the room for dead letters is, from 0 to 1',
      read: async () => (await stream.fill('dead-letters')).share,
    },
    tributary_events_waiting: {
      help: `Events that have no place in the event log yet, counted up to ${countedTo}`,
      read: () => countEvents(system, countedTo),
    },
  };
}

/** Storage may be slow, so it is queried at most twice a minute, and reading the metrics never waits for it. */
function ageOfNewest(backups: BackupFolder): () => Promise<number> {
  let newest: Date | undefined;
  let queriedAt = 0;
  return async () => {
    if (Date.now() - queriedAt > 30_000) {
      queriedAt = Date.now();
      newestBackupAt(backups).then(
        (at) => {
          newest = at;
        },
        () => {
          newest = undefined;
        },
      );
    }
    return newest ? (Date.now() - newest.getTime()) / 1_000 : Number.NaN;
  };
}

/**
 * Profiles without a run in the last two nights are left out; other alerts cover them. All kinds of one reading come from one
 * query.
 */
function differencesByKind(system: Postgres): Record<string, () => Promise<number>> {
  let cached: { readonly at: number; readonly counts: Promise<Map<string, number>> } | undefined;
  const counts = () => {
    if (!cached || Date.now() - cached.at > 10_000)
      cached = { at: Date.now(), counts: countDifferences(system, new Date(Date.now() - 2 * dayMs)) };
    return cached.counts;
  };
  return Object.fromEntries(differenceKindNames.map((kind) => [kind, async () => (await counts()).get(kind) ?? 0]));
}
