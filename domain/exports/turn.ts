import { ConnectionUnusable, findConnection, noteFault, type Opened, openAccount } from '@tributary/domain/connections';
import { readDefinitions } from '@tributary/domain/definitions';
import { announce } from '@tributary/domain/events';
import { findExportable } from '@tributary/domain/outcomes';
import { isHealthcareProfile, isServed } from '@tributary/domain/tenants';
import type { Tx } from '@tributary/postgres';
import { type Account, type Export, openCall, ProviderFault } from '@tributary/providers';
import type { Channel } from '@tributary/vocabulary';
import { v7 as uuid } from 'uuid';
import { type Composed, compose } from './compose.ts';
import { withPeople } from './people.ts';
import { findReporters } from './sale-reporters.ts';
import { type Line, sendBatch } from './send-batch.ts';
import type { ExportStores } from './services.ts';
import {
  countRun,
  findTarget,
  markSending,
  type Standing,
  saveStandings,
  type TargetRow,
  type WaitingEvent,
} from './store.ts';

/** How long a run waits for a connection that a person has to mend, and how often it looks. */
const patienceMs = 7 * 86_400_000;
const lookSeconds = 900;

/** One turn of a target: what the platform is still working off is asked for, the rest is sent, and what became of each is kept. */
export async function runTurn(
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
        isActive: await isServed(tx, profileId),
      };
    },
    { readOnly: true },
  );
  if (!target || !connection) return;
  const settled: Standing[] = [];
  // Nothing leaves for an archived profile or a deleted workspace, which may be restored.
  if (!isActive)
    return ledger.transaction(async (tx) => {
      await hold(tx);
      await saveStandings(tx, profileId, target.id, events.map(waitsForConnection));
    });
  try {
    const opened = await openAccount({ ...stores, ledger }, profileId, target.connection_id, now(), signal);
    const platform = opened.provider.export;
    if (platform) await tell({ stores, profileId, target, opened, platform, signal }, events, settled);
    else settled.push(...events.map(({ outcomeId }) => refused(outcomeId, 'not_an_ad_platform')));
  } catch (error) {
    if (!(error instanceof ConnectionUnusable) && !(error instanceof ProviderFault)) throw error;
    const done = new Set(settled.map(({ outcomeId }) => outcomeId));
    settled.push(
      ...events.filter(({ outcomeId }) => !done.has(outcomeId)).map((event) => postponed(event, error, now())),
    );
  }
  await ledger.transaction(async (tx) => {
    await hold(tx);
    await saveStandings(tx, profileId, target.id, settled);
    for (const at of new Set(events.map(({ scheduledAt }) => scheduledAt.getTime())))
      await settleRun(tx, profileId, target, connection.channel, new Date(at), now());
  });
}

const refused = (outcomeId: string, reason: string): Standing => ({ outcomeId, status: 'refused', reason });

/** A connection that is gone is not waited for; one that only needs a person is, for some days. */
function postponed(event: WaitingEvent, error: ConnectionUnusable | ProviderFault, now: Date): Standing {
  const isGone = error instanceof ConnectionUnusable && error.reason !== 'reconnect_required';
  if (isGone || now.getTime() - event.scheduledAt.getTime() > patienceMs)
    return refused(event.outcomeId, isGone ? 'connection_gone' : 'connection_unusable');
  return waitsForConnection(event);
}

const waitsForConnection = ({ outcomeId, status, ticket }: WaitingEvent): Standing => ({
  outcomeId,
  status,
  reason: 'connection_unusable',
  ticket: ticket ?? undefined,
  waitSeconds: lookSeconds,
});

interface Telling {
  readonly stores: ExportStores;
  readonly profileId: string;
  readonly target: TargetRow;
  readonly opened: Opened;
  readonly platform: Export<unknown>;
  readonly signal: AbortSignal;
}

async function tell(telling: Telling, events: readonly WaitingEvent[], settled: Standing[]): Promise<void> {
  const { stores, profileId, target, opened, platform, signal } = telling;
  const { now } = stores;
  const ledger = stores.app.forProfile(profileId);
  const account = accountOf(opened.account, target);
  try {
    await pollAll(telling, events, settled);
    const lost = events.filter((event) => event.status === 'waiting' && isLost(event, platform, now()));
    settled.push(...lost.map(({ outcomeId }): Standing => ({ outcomeId, status: 'unknown', reason: 'answer_lost' })));
    const fresh = events.filter((event) => event.status === 'waiting' && !isLost(event, platform, now()));
    const { composed, isPrivate } = await ledger.transaction(
      (tx) => composeAll(tx, profileId, target, fresh, settled),
      { readOnly: true },
    );
    const ready = composed.filter((one) => {
      const flaw = platform.flawOf(one.event, account, now());
      if (flaw) settled.push(refused(one.outcomeId, flaw));
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
    const line: Line = { stores, profileId, connectionId: target.connection_id, platform, account, isPrivate, signal };
    const together = new Map(fresh.map(({ outcomeId, mostTogether }) => [outcomeId, mostTogether]));
    for (const batch of batchesOf(ready, (one) => together.get(one.outcomeId) ?? platform.mostEvents)) {
      // Who they are is read again when it leaves: here it only had to be known whether anybody is.
      await sendBatch(line, batch.map(withoutPerson), settled);
    }
  } catch (error) {
    if (error instanceof ProviderFault) {
      const faulty = {
        profileId,
        connectionId: target.connection_id,
        revision: opened.connection.credentials_revision,
        now: now(),
      };
      await ledger.transaction((tx) => noteFault(tx, faulty, error));
    }
    throw error;
  }
}

/** The account of chats is the target's own. */
export const accountOf = (account: Account<unknown>, { messaging_account }: TargetRow): Account<unknown> =>
  messaging_account
    ? { ...account, details: { ...account.details, whatsappBusinessAccountId: messaging_account } }
    : account;

/** Maximum duration of a batch. A retry within the margin still arrives inside the platform's deduplication window. */
const resendMarginMs = 15 * 60_000;

/** Too late to retry: the platform would count the event twice if it has already received it. */
const isLost = ({ firstSentAt }: WaitingEvent, { deduplicatesForMs }: Export<unknown>, now: Date): boolean =>
  firstSentAt !== null && now.getTime() - firstSentAt.getTime() > deduplicatesForMs - resendMarginMs;

export async function composeAll(
  tx: Tx,
  profileId: string,
  target: TargetRow,
  events: readonly WaitingEvent[],
  settled: Standing[],
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
      settled.push({ outcomeId, status: 'waiting', reason: 'pending', waitSeconds: lookSeconds });
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
    settled.push({ outcomeId, status: 'withheld', reason: one });
    return [];
  });
  return { isPrivate, composed: isPrivate ? composed : await withPeople(tx, profileId, composed) };
}

const withoutPerson = (one: Composed): Composed => {
  const { person: _, ...event } = one.event;
  return { ...one, event };
};

/** By dataset, and as many together as each may be sent with. */
function* batchesOf(events: readonly Composed[], mostOf: (one: Composed) => number): Generator<Composed[]> {
  for (const group of Map.groupBy(events, (one) => `${mostOf(one)} ${one.dataset}`).values()) {
    const most = mostOf(group[0] as Composed);
    for (let at = 0; at < group.length; at += most) yield group.slice(at, at + most);
  }
}

const pollSeconds = 60;

/**
 * What a platform works off later: taken, or refused as a whole and sent again in halves. A turn may see a part of a batch only, so
 * how many went together is known of each event. Of a batch that is refused the platform may have taken some: they stay sent.
 */
async function pollAll(
  { stores, opened, platform, signal }: Telling,
  events: readonly WaitingEvent[],
  settled: Standing[],
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
    settled.push(
      ...some.map(({ outcomeId, mostTogether }): Standing => {
        if (answer?.state === 'accepted') return { outcomeId, status: 'sent' };
        const together = mostTogether ?? platform.mostEvents;
        if (answer?.state === 'rejected')
          return together === 1
            ? refused(outcomeId, 'platform_refused')
            : { outcomeId, status: 'waiting', mostTogether: Math.ceil(together / 2), waitSeconds: 0 };
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
