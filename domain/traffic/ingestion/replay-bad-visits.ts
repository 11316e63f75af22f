import type { Ingestion } from './context.ts';
import type { OpenedRequest } from './open-messages.ts';
import { takeVisit } from './parse-visit.ts';
import { ingest } from './pipeline.ts';
import { type BadVisitRow, countBadVisits, findProfiles, markReplayed, readBadVisits } from './store.ts';
import { type BadContent, badVisitLocation } from './store-invalid-visits.ts';

export interface ReplayOptions {
  readonly profileId: string;
  /** Reports what would happen, without changes. */
  readonly isDryRun: boolean;
  /** The visit parser; drills pass another one to simulate future rules. */
  readonly take?: typeof takeVisit;
  readonly progress?: (done: number, total: number) => void;
}

export interface ReplayReport {
  readonly total: number;
  readonly replayed: number;
  /** Rows that are still invalid, by reason. They are unchanged. */
  readonly stillBad: Readonly<Record<string, number>>;
}

const batchSize = 200;

/**
 * Replays invalid visits through the pipeline as of their arrival, after the rules have learnt to read them. Marks each
 * batch when it is complete, so an interrupted replay continues there.
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
    const readable: { id: string; request: OpenedRequest }[] = [];
    for (const { id, sealed } of rows) {
      const { arrival, sent } = JSON.parse(
        ingestion.envelopeVault.open(sealed, badVisitLocation(profileId, id)),
      ) as BadContent;
      const parsed = take(JSON.parse(sent), new Date(arrival.received_at), profile.ownHosts);
      if (!parsed.ok) stillBad[parsed.reason] = (stillBad[parsed.reason] ?? 0) + 1;
      else
        readable.push({
          id,
          request: { id, arrival, visits: [{ visit: parsed.visit, secret: parsed.secret ?? {} }], broken: [] },
        });
    }
    if (!isDryRun && readable.length > 0) {
      await ingest(
        ingestion,
        readable.map(({ request }) => request),
      );
      await ledger.transaction((tx) =>
        markReplayed(
          tx,
          profileId,
          readable.map(({ id }) => id),
          now(),
        ),
      );
    }
    replayed += readable.length;
    done += rows.length;
    progress(done, Math.max(total, done));
  }
}
