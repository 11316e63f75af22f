import { findDeliveryWait, listLateDelivery } from '@tributary/domain/advertising/campaigns';
import { findFailingSyncs, listFailingSyncs } from '@tributary/domain/advertising/connections';
import { findDuplicatesFound, listDuplicatesFound } from '@tributary/domain/commerce/sales';
import { listLateAttribution, readAttributionStage, stageOf } from '@tributary/domain/measurement/attribution';
import { findActiveProfiles, listSilent } from '@tributary/domain/traffic/ingestion';
import { findTracked } from '@tributary/domain/traffic/tracking';
import type { Postgres, Tx } from '@tributary/postgres';
import { type AlertKind, limits, minuteMs, nilUuid } from '@tributary/vocabulary';
import type { AlertRow } from './store.ts';

/** The inputs of all alert rules. */
export interface AlertSources {
  readonly app: Postgres;
  readonly system: Postgres;
  readonly now: Date;
  /** All visits up to this time are stored: now, or the arrival of the oldest visit still waiting in the stream. */
  readonly visitsThrough: Date;
  readonly signal: AbortSignal;
}

/** A profile whose cause holds, and since when. */
export interface Cause {
  readonly profileId: string;
  readonly since: Date;
}

/** How a kind of alert is found and when it is over. Handles many profiles at a time and reads no visits. */
export interface AlertRule {
  find(
    sources: AlertSources,
    after: string,
  ): Promise<{ readonly causes: readonly Cause[]; readonly next: string | undefined }>;
  /** Checked again in the transaction that opens the alert. Undefined if the cause is already over. */
  confirm?(tx: Tx, sources: AlertSources, profileId: string): Promise<Date | undefined>;
  findOver(sources: AlertSources, open: readonly AlertRow[]): Promise<readonly AlertRow[]>;
}

export const profilesAtOnce = 500;

/** The last id of a full page; undefined on the last page. */
const nextOf = (ids: readonly string[]): string | undefined => (ids.length < profilesAtOnce ? undefined : ids.at(-1));

/** A profile without a tracking key expects no visits. While visits wait in the stream, no profile counts as silent because of them. */
const trackerSilent: AlertRule = {
  async find(sources, after) {
    const ledger = sources.system.unbound;
    const last = await listSilent(ledger, { after, through: sources.visitsThrough, limit: profilesAtOnce });
    const ids = last.map(({ profileId }) => profileId);
    const tracked = await findTracked(ledger, ids);
    const causes = last.filter(({ profileId }) => tracked.has(profileId));
    return { causes: causes.map(({ profileId, at }) => ({ profileId, since: at })), next: nextOf(ids) };
  },
  async findOver(sources, open) {
    const ledger = sources.system.unbound;
    const ids = open.map(({ profileId }) => profileId);
    const [tracked, visited] = [
      await findTracked(ledger, ids),
      await findActiveProfiles(ledger, ids, sources.visitsThrough),
    ];
    return open.filter(({ profileId }) => !tracked.has(profileId) || visited.has(profileId));
  },
};

const lateSince = ({ now }: AlertSources): Date => new Date(+now - limits.alerts.lateAfterMinutes * minuteMs);

/** Opened when a change has waited for long, and over only when nothing is behind, so that the alert does not flicker. */
const figuresLate: AlertRule = {
  async find(sources, after) {
    const { system, signal } = sources;
    const since = lateSince(sources);
    const delivery = await listLateDelivery(system.unbound, { after, since, limit: profilesAtOnce });
    // Read completely on the first page: it lists only late profiles and is short in normal operation.
    const attribution = after === nilUuid ? await listLateAttribution(system, since, signal) : [];
    const ids = [...new Set([...attribution, ...delivery])];
    return { causes: ids.map((profileId) => ({ profileId, since })), next: nextOf(delivery) };
  },
  async confirm(tx, sources, profileId) {
    const { attribution, delivery } = await readStages(tx, profileId, sources.now);
    const waiting = [attribution, delivery].flatMap(({ waitingSince }) => waitingSince ?? []);
    const oldest = waiting.toSorted((a, b) => +a - +b)[0];
    return oldest && oldest <= lateSince(sources) ? oldest : undefined;
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

/** Opened when a sync has failed for long, and over when every sync of the profile works. */
const syncFailing: AlertRule = {
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
const duplicatesFound: AlertRule = {
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

export const alertRules: Readonly<Record<AlertKind, AlertRule>> = {
  tracker_silent: trackerSilent,
  figures_late: figuresLate,
  sync_failing: syncFailing,
  duplicates_found: duplicatesFound,
};
