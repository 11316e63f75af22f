import { setTimeout as sleep } from 'node:timers/promises';
import { type OutcomeServices, untilRecorded } from '@tributary/domain/outcomes';
import type { Ledger } from '@tributary/postgres';
import { openCall, ProviderFault, type SyncPage } from '@tributary/providers';
import { type Channel, channels, hourMs } from '@tributary/vocabulary';
import { noteFault, noteRecovered } from './note-fault.ts';
import { ConnectionUnusable, type Opened, openAccount } from './open-account.ts';
import { recordSaid } from './record-said.ts';
import { nextRunAt, usualPauseMs, waitAfter } from './schedule.ts';
import type { ConnectionStores } from './services.ts';
import { storeStages } from './stages.ts';
import {
  beginRun,
  endRun,
  failRun,
  holdRun,
  pauseProvider,
  putOff,
  type Run,
  RunReplaced,
  savePosition,
} from './sync-store.ts';

export interface SyncStores extends ConnectionStores {
  readonly outcomes: OutcomeServices;
  /** From 0 to 1. */
  readonly random: () => number;
}

/** After so long the others get their turn; a long first sync goes on in the next. */
const turnMs = 30_000;
/** A breath that a provider asks for is taken here when it is short; else the turn ends. */
const longestBreathMs = 2_000;
/** What fails once may work at once; each without getting any further. */
const soonAgainMs = [100, 500, 2_000];

/**
 * Reads a connection on from where it was, page by page: what a page said and the position after it are kept together, so whoever goes
 * on says nothing twice and leaves nothing out.
 */
export async function runSync(
  stores: SyncStores,
  profileId: string,
  connectionId: string,
  signal: AbortSignal,
): Promise<void> {
  const ledger = stores.app.forProfile(profileId);
  const begun = await ledger.transaction((tx) => beginRun(tx, profileId, connectionId, stores.now()));
  if (!begun) return;
  const run = { profileId, connectionId, number: String(begun.run) };
  const endsAt = performance.now() + turnMs;
  let position: unknown = begun.position;
  let opened: Opened | undefined;
  for (let fruitless = 0; ; ) {
    try {
      opened = await openAccount({ ...stores, ledger }, profileId, connectionId, stores.now(), signal);
      const reading = { stores, ledger, run, opened, signal, endsAt };
      if (await readStages(reading)) position = null;
      const left = await readOn(reading, position, (kept) => {
        position = kept;
        fruitless = 0;
      });
      const now = stores.now();
      await ledger.transaction(async (tx) => {
        await holdRun(tx, run);
        if (left) return putOff(tx, run, new Date(now.getTime() + left.waitMs));
        await noteRecovered(tx, profileId, connectionId);
        return endRun(tx, run, String(begun.wishes), now, nextRunAt(connectionId, now));
      });
      return;
    } catch (error) {
      if (error instanceof RunReplaced) return;
      if (error instanceof ConnectionUnusable) return giveUp(stores, ledger, run, error);
      if (!(error instanceof ProviderFault) || signal.aborted) throw error;
      const soonMs = soonAgainMs[fruitless];
      const isBrief = error.details.verdict === 'wait' && (error.details.retryAfterMs ?? 0) <= longestBreathMs;
      if (!isBrief || error.details.reach === 'app' || soonMs === undefined || performance.now() > endsAt)
        return fail(stores, ledger, run, opened, begun.failures + 1, error);
      fruitless += 1;
      await sleep(Math.max(soonMs, error.details.retryAfterMs ?? 0), undefined, { signal });
    }
  }
}

interface Reading {
  readonly stores: SyncStores;
  readonly ledger: Ledger;
  readonly run: Run;
  readonly opened: Opened;
  readonly signal: AbortSignal;
  readonly endsAt: number;
}

/**
 * Stores the stages of a CRM before its deals, so that a stage is mapped as its name suggests when the first deal in it is read.
 * Resolves to whether all deals have to be read again because a known stage was mapped.
 */
async function readStages({ stores, ledger, run, opened, signal }: Reading): Promise<boolean> {
  const { provider, account, connection } = opened;
  const channel = connection.channel as Channel;
  if (!provider.stages || channels[channel].kind !== 'crm') return false;
  const now = stores.now();
  const pipelines = await provider.stages(account, openCall(stores.providerOutbound, now, signal));
  return ledger.transaction(async (tx) => {
    await holdRun(tx, run);
    const isMapped = await storeStages(tx, run.profileId, channel, pipelines, now);
    if (isMapped) await savePosition(tx, run, null, undefined, []);
    return isMapped;
  });
}

/** Undefined once all is read; else how long to wait before going on. */
async function readOn(
  reading: Reading,
  from: unknown,
  kept: (position: unknown) => void,
): Promise<{ waitMs: number } | undefined> {
  const { stores, opened, signal, endsAt } = reading;
  const { provider, account } = opened;
  const call = openCall(stores.providerOutbound, stores.now(), signal);
  for await (const page of provider.sync?.(account, from, call) ?? []) {
    await keepPage(reading, page);
    kept(page.position);
    const due = provider.connect?.refreshAt?.(account.credentials);
    // Whoever goes on has fresh credentials.
    if (due && due <= stores.now()) return { waitMs: 0 };
    if (page.waitMs !== undefined && page.waitMs > longestBreathMs) return { waitMs: page.waitMs };
    if (performance.now() > endsAt) return { waitMs: 0 };
    if (page.waitMs) await sleep(page.waitMs, undefined, { signal });
  }
  return undefined;
}

async function keepPage({ stores, ledger, run, opened }: Reading, page: SyncPage<unknown>): Promise<void> {
  const { profileId, connectionId } = run;
  const channel = opened.connection.channel as Channel;
  const saying = { profileId, connectionId, channel, services: stores.outcomes, now: stores.now() };
  await untilRecorded(() =>
    ledger.transaction(async (tx) => {
      await holdRun(tx, run);
      const rejected = await recordSaid(tx, saying, page.said);
      await savePosition(tx, run, page.position, page.progress, rejected);
    }),
  );
}

/** What the provider answered is told to the profile in its own words, and decides when it is asked again. */
async function fail(
  { now, random }: SyncStores,
  ledger: Ledger,
  run: Run,
  opened: Opened | undefined,
  failures: number,
  fault: ProviderFault,
): Promise<void> {
  const at = now();
  const { verdict, says, code, retryAfterMs, reach } = fault.details;
  const after = (ms: number) => new Date(at.getTime() + ms);
  const dueAt = { wait: waitAfter(failures, retryAfterMs, random()), refused: hourMs, needs_action: hourMs };
  await ledger.transaction(async (tx) => {
    await holdRun(tx, run);
    if (opened && reach === 'app')
      await pauseProvider(tx, opened.connection.channel, after(retryAfterMs ?? usualPauseMs));
    if (opened) await noteFault(tx, { ...run, revision: opened.connection.credentials_revision, now: at }, fault);
    await failRun(tx, run, says || code, at, verdict === 'reconnect' ? null : after(dueAt[verdict]));
  });
}

/** Nobody reads it before somebody connects again, or sets its provider up. */
async function giveUp({ now }: SyncStores, ledger: Ledger, run: Run, { reason }: ConnectionUnusable): Promise<void> {
  const isOver = reason !== 'provider_not_configured';
  const at = now();
  await ledger.transaction(async (tx) => {
    await holdRun(tx, run);
    await failRun(tx, run, words[reason], at, isOver ? null : nextRunAt(run.connectionId, at));
  });
}

const words: Record<ConnectionUnusable['reason'], string> = {
  unknown: 'The connection is gone.',
  disconnected: 'The connection was disconnected.',
  reconnect_required: 'A person has to connect again.',
  no_credentials: 'The connection holds no token.',
  provider_not_configured: 'The operator has not set this provider up.',
};
