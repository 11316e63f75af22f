import type { Ingestion } from './context.ts';
import { type BadContent, placeOfBadVisit } from './keep-bad-visits.ts';
import type { OpenedRequest } from './open-messages.ts';
import { ingest } from './pipeline.ts';
import { type BadVisitRow, countBadVisits, findProfiles, markReplayed, readBadVisits } from './store.ts';
import { takeVisit } from './take-visit.ts';

export interface ReplayOptions {
  readonly profileId: string;
  /** Only says what would become of them. */
  readonly isDryRun: boolean;
  /** How a visit is read: by the rules as they are, unless a drill says how they might become. */
  readonly take?: typeof takeVisit;
  readonly progress?: (done: number, total: number) => void;
}

export interface ReplayReport {
  readonly total: number;
  readonly replayed: number;
  /** Still not understood, by reason. They stay as they are. */
  readonly stillBad: Readonly<Record<string, number>>;
}

const batchSize = 200;

/**
 * Puts bad rows through the pipeline again, as if they came at the time when they came, after the rules have learnt to read them.
 * One batch after the other, each marked when it is through: whoever interrupts it goes on from there.
 */
export async function replayBadVisits(ingestion: Ingestion, options: ReplayOptions): Promise<ReplayReport> {
  const { profileId, isDryRun, take = takeVisit, progress = () => {} } = options;
  const { postgres, now } = ingestion;
  const ledger = postgres.forProfile(profileId);
  const profile = (await findProfiles(postgres, [profileId])).get(profileId);
  if (!profile) throw new Error('There is no such profile.');
  const total = await ledger.transaction((tx) => countBadVisits(tx, profileId));
  const stillBad: Record<string, number> = {};
  let replayed = 0;
  let done = 0;
  let last: BadVisitRow | undefined;
  while (true) {
    const rows = await ledger.transaction((tx) => readBadVisits(tx, profileId, last, batchSize));
    last = rows.at(-1);
    if (!last) return { total, replayed, stillBad };
    const good: { id: string; request: OpenedRequest }[] = [];
    for (const { id, sealed } of rows) {
      const { arrival, sent } = JSON.parse(
        ingestion.envelopeVault.open(sealed, placeOfBadVisit(profileId, id)),
      ) as BadContent;
      const taken = take(JSON.parse(sent), new Date(arrival.received_at), profile.ownHosts);
      if (!taken.ok) stillBad[taken.reason] = (stillBad[taken.reason] ?? 0) + 1;
      else
        good.push({
          id,
          request: { id, arrival, visits: [{ visit: taken.visit, secret: taken.secret ?? {} }], broken: [] },
        });
    }
    if (!isDryRun && good.length > 0) {
      await ingest(
        ingestion,
        good.map(({ request }) => request),
      );
      await ledger.transaction((tx) =>
        markReplayed(
          tx,
          profileId,
          good.map(({ id }) => id),
          now(),
        ),
      );
    }
    replayed += good.length;
    done += rows.length;
    progress(done, Math.max(total, done));
  }
}
