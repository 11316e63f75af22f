import { listLateAttribution, readAttributionStage, stageOf } from '@tributary/domain/attribution';
import { findDeliveryWait, listLateDelivery } from '@tributary/domain/campaigns';
import { findFailingSyncs, listFailingSyncs } from '@tributary/domain/connections';
import { findHeard, listSilent } from '@tributary/domain/ingestion';
import { findDuplicatesFound, listDuplicatesFound } from '@tributary/domain/sales';
import { findTracked } from '@tributary/domain/tracking';
import type { Postgres, Tx } from '@tributary/postgres';
import { type AlertKind, limits, minuteMs, nilUuid } from '@tributary/vocabulary';
import type { AlertRow } from './store.ts';

/** What is looked at. */
export interface Watched {
  readonly app: Postgres;
  readonly system: Postgres;
  readonly now: Date;
  /** Up to when all visits that came are stored: now, or when the oldest came that still waits in the log. */
  readonly visitsThrough: Date;
  readonly signal: AbortSignal;
}

/** Somebody whose cause holds, and since when. */
export interface Cause {
  readonly profileId: string;
  readonly since: Date;
}

/** How a kind of alert is found, and when it is over. Many profiles at a time; none of it reads visits. */
export interface Watch {
  find(
    watched: Watched,
    after: string,
  ): Promise<{ readonly causes: readonly Cause[]; readonly next: string | undefined }>;
  /** Looked at once more in the transaction that opens it. Undefined where it is over already. */
  confirm?(tx: Tx, watched: Watched, profileId: string): Promise<Date | undefined>;
  findOver(watched: Watched, open: readonly AlertRow[]): Promise<readonly AlertRow[]>;
}

export const profilesAtOnce = 500;

/** A page of profiles, and whether there are more. */
const nextOf = (ids: readonly string[]): string | undefined => (ids.length < profilesAtOnce ? undefined : ids.at(-1));

/** Whoever has no key any more expects no visits. While visits wait in the log, nobody is taken for silent because of those. */
const trackerSilent: Watch = {
  async find(watched, after) {
    const ledger = watched.system.unbound;
    const last = await listSilent(ledger, { after, through: watched.visitsThrough, limit: profilesAtOnce });
    const ids = last.map(({ profileId }) => profileId);
    const tracked = await findTracked(ledger, ids);
    const causes = last.filter(({ profileId }) => tracked.has(profileId));
    return { causes: causes.map(({ profileId, at }) => ({ profileId, since: at })), next: nextOf(ids) };
  },
  async findOver(watched, open) {
    const ledger = watched.system.unbound;
    const ids = open.map(({ profileId }) => profileId);
    const [tracked, heard] = [await findTracked(ledger, ids), await findHeard(ledger, ids, watched.visitsThrough)];
    return open.filter(({ profileId }) => !tracked.has(profileId) || heard.has(profileId));
  },
};

const lateSince = ({ now }: Watched): Date => new Date(+now - limits.alerts.lateAfterMinutes * minuteMs);

/** It is opened when something has waited for long, and over when nothing is behind: what is just being worked off is not told again and again. */
const figuresLate: Watch = {
  async find(watched, after) {
    const { system, signal } = watched;
    const since = lateSince(watched);
    const delivery = await listLateDelivery(system.unbound, { after, since, limit: profilesAtOnce });
    // Stepped through to its end on the first page; it is a list of those that are late, and short when all is well.
    const attribution = after === nilUuid ? await listLateAttribution(system, since, signal) : [];
    const ids = [...new Set([...attribution, ...delivery])];
    return { causes: ids.map((profileId) => ({ profileId, since })), next: nextOf(delivery) };
  },
  async confirm(tx, watched, profileId) {
    const { attribution, delivery } = await readStages(tx, profileId, watched.now);
    const waiting = [attribution, delivery].flatMap(({ waitingSince }) => waitingSince ?? []);
    const oldest = waiting.toSorted((a, b) => +a - +b)[0];
    return oldest && oldest <= lateSince(watched) ? oldest : undefined;
  },
  async findOver({ app, now, signal }, open) {
    const over: AlertRow[] = [];
    for (const alert of open) {
      signal.throwIfAborted();
      const { profileId } = alert;
      const stages = await app
        .forProfile(profileId)
        .transaction((tx) => readStages(tx, profileId, now), { readOnly: true });
      if (stages.attribution.state === 'current' && stages.delivery.state === 'current') over.push(alert);
    }
    return over;
  },
};

const readStages = async (tx: Tx, profileId: string, now: Date) => ({
  attribution: await readAttributionStage(tx, profileId, now),
  delivery: stageOf(await findDeliveryWait(tx, profileId), now),
});

/** It is opened when a sync has failed for long, and over when every sync of the profile works. */
const syncFailing: Watch = {
  async find({ system, now }, after) {
    const since = new Date(+now - limits.alerts.syncFailingAfterMinutes * minuteMs);
    const causes = await listFailingSyncs(system.unbound, { after, since, limit: profilesAtOnce });
    return { causes, next: nextOf(causes.map(({ profileId }) => profileId)) };
  },
  async findOver({ system }, open) {
    const failing = await findFailingSyncs(
      system.unbound,
      open.map(({ profileId }) => profileId),
    );
    return open.filter(({ profileId }) => !failing.has(profileId));
  },
};

/** Opened when two sources report the same payments, and over when a member has decided how they count. */
const duplicatesFound: Watch = {
  async find({ system, now }, after) {
    const causes = await listDuplicatesFound(system.unbound, { after, now, limit: profilesAtOnce });
    return { causes, next: nextOf(causes.map(({ profileId }) => profileId)) };
  },
  async findOver({ system, now }, open) {
    const ids = open.map(({ profileId }) => profileId);
    const found = await findDuplicatesFound(system.unbound, ids, now);
    return open.filter(({ profileId }) => !found.has(profileId));
  },
};

export const watches: Readonly<Record<AlertKind, Watch>> = {
  tracker_silent: trackerSilent,
  figures_late: figuresLate,
  sync_failing: syncFailing,
  duplicates_found: duplicatesFound,
};
