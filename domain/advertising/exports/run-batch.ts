import {
  applyFault,
  ConnectionUnusable,
  findConnection,
  type OpenedAccount,
  openAccount,
} from '@tributary/domain/advertising/connections';
import { readDefinitions } from '@tributary/domain/commerce/definitions';
import { findExportable } from '@tributary/domain/commerce/outcomes';
import { announce } from '@tributary/domain/tenancy/events';
import { isActiveProfile, isHealthcareProfile } from '@tributary/domain/tenancy/tenants';
import type { Tx } from '@tributary/postgres';
import { type Account, type Export, openCall, ProviderFault } from '@tributary/providers';
import type { Channel } from '@tributary/vocabulary';
import { v7 as uuid } from 'uuid';
import { type Composed, compose } from './compose.ts';
import { withPeople } from './people.ts';
import { findReporters } from './sale-reporters.ts';
import { type PlatformLine, sendBatch } from './send-batch.ts';
import type { ExportStores } from './services.ts';
import {
  countRun,
  type ExportResult,
  findTarget,
  markSending,
  saveResults,
  type TargetRow,
  type WaitingEvent,
} from './store.ts';

/** How long a run waits for a connection that needs a member's attention, and how often it is checked. */
const connectionTimeoutMs = 7 * 86_400_000;
const recheckSeconds = 900;

/** Processes one batch of a target: polls asynchronous tickets, sends the rest and stores the results. */
export async function runBatch(
  stores: ExportStores,
  profileId: string,
  events: readonly WaitingEvent[],
  hold: (tx: Tx) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const [first] = events;
  if (!first) return;
  const { app, now } = stores;
  const ledger = app.forProfile(profileId);
  const { target, connection, isActive } = await ledger.transaction(
    async (tx) => {
      const found = await findTarget(tx, profileId, first.targetId);
      return {
        target: found,
        connection: found && (await findConnection(tx, profileId, found.connection_id)),
        isActive: await isActiveProfile(tx, profileId),
      };
    },
    { readOnly: true },
  );
  if (!target || !connection) return;
  const results: ExportResult[] = [];
  // Nothing is sent for an archived profile or a deleted workspace; either may be restored.
  if (!isActive)
    return ledger.transaction(async (tx) => {
      await hold(tx);
      await saveResults(tx, profileId, target.id, events.map(waitsForConnection));
    });
  try {
    const opened = await openAccount({ ...stores, ledger }, profileId, target.connection_id, now(), signal);
    const platform = opened.provider.export;
    if (platform) await exportEvents({ stores, profileId, target, opened, platform, signal }, events, results);
    else results.push(...events.map(({ outcomeId }) => refused(outcomeId, 'not_an_ad_platform')));
  } catch (error) {
    if (!(error instanceof ConnectionUnusable) && !(error instanceof ProviderFault)) throw error;
    const done = new Set(results.map(({ outcomeId }) => outcomeId));
    results.push(
      ...events.filter(({ outcomeId }) => !done.has(outcomeId)).map((event) => postponed(event, error, now())),
    );
  }
  await ledger.transaction(async (tx) => {
    await hold(tx);
    await saveResults(tx, profileId, target.id, results);
    for (const at of new Set(events.map(({ scheduledAt }) => scheduledAt.getTime())))
      await settleRun(tx, profileId, target, connection.channel, new Date(at), now());
  });
}

const refused = (outcomeId: string, reason: string): ExportResult => ({ outcomeId, status: 'refused', reason });

/** A deleted connection is given up at once; a run waits some days for one that must be reconnected. */
function postponed(event: WaitingEvent, error: ConnectionUnusable | ProviderFault, now: Date): ExportResult {
  const isGone = error instanceof ConnectionUnusable && error.reason !== 'reconnect_required';
  if (isGone || now.getTime() - event.scheduledAt.getTime() > connectionTimeoutMs)
    return refused(event.outcomeId, isGone ? 'connection_gone' : 'connection_unusable');
  return waitsForConnection(event);
}

const waitsForConnection = ({ outcomeId, status, ticket }: WaitingEvent): ExportResult => ({
  outcomeId,
  status,
  reason: 'connection_unusable',
  ticket: ticket ?? undefined,
  waitSeconds: recheckSeconds,
});

interface ExportContext {
  readonly stores: ExportStores;
  readonly profileId: string;
  readonly target: TargetRow;
  readonly opened: OpenedAccount;
  readonly platform: Export<unknown>;
  readonly signal: AbortSignal;
}

async function exportEvents(
  exportContext: ExportContext,
  events: readonly WaitingEvent[],
  results: ExportResult[],
): Promise<void> {
  const { stores, profileId, target, opened, platform, signal } = exportContext;
  const { now } = stores;
  const ledger = stores.app.forProfile(profileId);
  const account = accountOf(opened.account, target);
  try {
    await pollAll(exportContext, events, results);
    const expired = events.filter((event) => event.status === 'waiting' && isExpired(event, platform, now()));
    results.push(
      ...expired.map(({ outcomeId }): ExportResult => ({ outcomeId, status: 'unknown', reason: 'answer_lost' })),
    );
    const fresh = events.filter((event) => event.status === 'waiting' && !isExpired(event, platform, now()));
    const { composed, isPrivate } = await ledger.transaction(
      (tx) => composeAll(tx, profileId, target, fresh, results),
      { readOnly: true },
    );
    const ready = composed.filter((one) => {
      const flaw = platform.findFlaw(one.event, account, now());
      if (flaw) results.push(refused(one.outcomeId, flaw));
      return !flaw;
    });
    if (ready.length === 0) return;
    await ledger.transaction((tx) =>
      markSending(
        tx,
        profileId,
        target.id,
        ready.map(({ outcomeId }) => outcomeId),
        now(),
      ),
    );
    const platformLine: PlatformLine = {
      stores,
      profileId,
      connectionId: target.connection_id,
      platform,
      account,
      isPrivate,
      signal,
    };
    const mostTogetherOf = new Map(fresh.map(({ outcomeId, mostTogether }) => [outcomeId, mostTogether]));
    for (const batch of batchesOf(ready, (one) => mostTogetherOf.get(one.outcomeId) ?? platform.maxEvents)) {
      // Customer data is read again when the event is sent; here only its existence mattered.
      await sendBatch(platformLine, batch.map(withoutPerson), results);
    }
  } catch (error) {
    if (error instanceof ProviderFault) {
      const faulty = {
        profileId,
        connectionId: target.connection_id,
        revision: opened.connection.credentials_revision,
        now: now(),
      };
      await ledger.transaction((tx) => applyFault(tx, faulty, error));
    }
    throw error;
  }
}

/** Chats use the messaging account of the target. */
export const accountOf = (account: Account<unknown>, { messaging_account }: TargetRow): Account<unknown> =>
  messaging_account
    ? { ...account, details: { ...account.details, whatsappBusinessAccountId: messaging_account } }
    : account;

/** Maximum duration of a batch. A retry within the margin still arrives inside the platform's deduplication window. */
const resendMarginMs = 15 * 60_000;

/** Too late to retry: the platform would count the event twice if it has already received it. */
const isExpired = ({ firstSentAt }: WaitingEvent, { deduplicatesForMs }: Export<unknown>, now: Date): boolean =>
  firstSentAt !== null && now.getTime() - firstSentAt.getTime() > deduplicatesForMs - resendMarginMs;

export async function composeAll(
  tx: Tx,
  profileId: string,
  target: TargetRow,
  events: readonly WaitingEvent[],
  results: ExportResult[],
): Promise<{ composed: Composed[]; isPrivate: boolean }> {
  const isPrivate = await isHealthcareProfile(tx, profileId);
  const keys = new Map((await readDefinitions(tx, profileId)).map(({ id, key }) => [id, key]));
  const outcomes = await findExportable(
    tx,
    profileId,
    events.map(({ outcomeId }) => outcomeId),
  );
  const reporters = await findReporters(tx, profileId, target.id, outcomes);
  const composed = events.flatMap(({ outcomeId }) => {
    const outcome = outcomes.get(outcomeId);
    if (outcome?.uncounted === 'pending') {
      results.push({ outcomeId, status: 'waiting', reason: 'pending', waitSeconds: recheckSeconds });
      return [];
    }
    const isReported = outcome && (reporters.get(outcome.saleId) ?? outcomeId) !== outcomeId;
    const one = !outcome
      ? 'erased'
      : outcome.uncounted === 'excluded'
        ? 'excluded'
        : isReported
          ? 'duplicate'
          : compose(outcome, target, (id) => keys.get(id), isPrivate);
    if (typeof one !== 'string') return [one];
    results.push({ outcomeId, status: 'withheld', reason: one });
    return [];
  });
  return { isPrivate, composed: isPrivate ? composed : await withPeople(tx, profileId, composed) };
}

const withoutPerson = (one: Composed): Composed => {
  const { person: _, ...event } = one.event;
  return { ...one, event };
};

/** Groups events by dataset and by the number that may be sent together. */
function* batchesOf(events: readonly Composed[], mostOf: (one: Composed) => number): Generator<Composed[]> {
  for (const group of Map.groupBy(events, (one) => `${mostOf(one)} ${one.dataset}`).values()) {
    const most = mostOf(group[0] as Composed);
    for (let at = 0; at < group.length; at += most) yield group.slice(at, at + most);
  }
}

const pollSeconds = 60;

/**
 * Polls asynchronous tickets: accepted, or rejected as a whole and resent in halves. A batch may contain only part of a ticket's events, so
 * each event stores how many were sent together. Events that the platform accepted from a rejected batch stay accepted.
 */
async function pollAll(
  { stores, opened, platform, signal }: ExportContext,
  events: readonly WaitingEvent[],
  results: ExportResult[],
): Promise<void> {
  const open = Map.groupBy(
    events.filter(({ status }) => status === 'processing'),
    ({ ticket }) => ticket ?? '',
  );
  for (const [ticket, some] of open) {
    const answer = await platform.poll?.(
      opened.account,
      ticket,
      openCall(stores.providerOutbound, stores.now(), signal),
    );
    results.push(
      ...some.map(({ outcomeId, mostTogether }): ExportResult => {
        if (answer?.state === 'accepted') return { outcomeId, status: 'sent' };
        const mostTogetherOf = mostTogether ?? platform.maxEvents;
        if (answer?.state === 'rejected')
          return mostTogetherOf === 1
            ? refused(outcomeId, 'platform_refused')
            : { outcomeId, status: 'waiting', mostTogether: Math.ceil(mostTogetherOf / 2), waitSeconds: 0 };
        return { outcomeId, status: 'processing', ticket, waitSeconds: pollSeconds };
      }),
    );
  }
}

async function settleRun(
  tx: Tx,
  profileId: string,
  target: TargetRow,
  channel: string,
  scheduledAt: Date,
  now: Date,
): Promise<void> {
  const run = await countRun(
    tx,
    profileId,
    { id: uuid(), targetId: target.id, connectionId: target.connection_id, channel, scheduledAt },
    now,
  );
  if (!run?.settledAt) return;
  const data = {
    profile_id: profileId,
    connection_id: run.connectionId,
    provider: run.channel as Channel,
    export_id: run.id,
    conversions: run.conversions,
    sent: run.sent,
  };
  const type = run.status === 'failed' ? 'export.failed' : 'export.completed';
  await announce(tx, [{ id: run.id, type, data, occurredAt: now }]);
}
