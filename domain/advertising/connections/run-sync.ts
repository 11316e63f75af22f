import { setTimeout as sleep } from 'node:timers/promises';
import { type OutcomeServices, retryOnConflict } from '@tributary/domain/commerce/outcomes';
import type { Ledger } from '@tributary/postgres';
import { openCall, ProviderFault, type SyncPage } from '@tributary/providers';
import { type Channel, channels, hourMs } from '@tributary/vocabulary';
import { applyFault, markRecovered } from './apply-fault.ts';
import { applyProviderRecords } from './apply-provider-records.ts';
import { ConnectionUnusable, type OpenedAccount, openAccount } from './open-account.ts';
import { nextRunAt, usualPauseMs, waitAfter } from './schedule.ts';
import type { ConnectionStores } from './services.ts';
import { storeStages } from './stages.ts';
import {
  beginRun,
  endRun,
  failRun,
  lockRun,
  pauseProvider,
  postponeRun,
  type Run,
  RunReplaced,
  saveCursor,
} from './sync-store.ts';

export interface SyncStores extends ConnectionStores {
  readonly outcomes: OutcomeServices;
  /** From 0 to 1. */
  readonly random: () => number;
}

/** A run ends after this time, so that other connections are synced; a long first sync continues in the next run. */
const maxRunMs = 30_000;
/** A shorter backoff requested by the provider is waited for; a longer one ends the run. */
const maxWaitMs = 2_000;
/** Delays of immediate retries; the count resets when a page is stored. */
const retryDelaysMs = [100, 500, 2_000];

/**
 * Continues the sync of a connection page by page. Each page is stored in one transaction with the cursor after it, so
 * an interrupted sync neither repeats nor skips records.
 */
export async function runSync(
  stores: SyncStores,
  profileId: string,
  connectionId: string,
  signal: AbortSignal,
): Promise<void> {
  const ledger = stores.app.forProfile(profileId);
  const started = await ledger.transaction((tx) => beginRun(tx, profileId, connectionId, stores.now()));
  if (!started) return;
  const run = { profileId, connectionId, number: String(started.run) };
  const endsAt = performance.now() + maxRunMs;
  let position: unknown = started.position;
  let opened: OpenedAccount | undefined;
  for (let retries = 0; ; ) {
    try {
      opened = await openAccount({ ...stores, ledger }, profileId, connectionId, stores.now(), signal);
      const context = { stores, ledger, run, opened, signal, endsAt };
      if (await readStages(context)) position = null;
      const unfinished = await readPages(context, position, (storedPosition) => {
        position = storedPosition;
        retries = 0;
      });
      const now = stores.now();
      await ledger.transaction(async (tx) => {
        await lockRun(tx, run);
        if (unfinished) return postponeRun(tx, run, new Date(now.getTime() + unfinished.waitMs));
        await markRecovered(tx, profileId, connectionId);
        return endRun(tx, run, String(started.wishes), now, nextRunAt(connectionId, now));
      });
      return;
    } catch (error) {
      if (error instanceof RunReplaced) return;
      if (error instanceof ConnectionUnusable) return endUnusable(stores, ledger, run, error);
      if (!(error instanceof ProviderFault) || signal.aborted) throw error;
      const delayMs = retryDelaysMs[retries];
      const isShort = error.details.verdict === 'wait' && (error.details.retryAfterMs ?? 0) <= maxWaitMs;
      if (!isShort || error.details.reach === 'app' || delayMs === undefined || performance.now() > endsAt)
        return fail(stores, ledger, run, opened, started.failures + 1, error);
      retries += 1;
      await sleep(Math.max(delayMs, error.details.retryAfterMs ?? 0), undefined, { signal });
    }
  }
}

interface RunContext {
  readonly stores: SyncStores;
  readonly ledger: Ledger;
  readonly run: Run;
  readonly opened: OpenedAccount;
  readonly signal: AbortSignal;
  readonly endsAt: number;
}

/**
 * Stores the stages of a CRM before its deals, so that a new stage is mapped by its name first. Resolves to whether all
 * deals must be read again because a known stage was mapped.
 */
async function readStages({ stores, ledger, run, opened, signal }: RunContext): Promise<boolean> {
  const { provider, account, connection } = opened;
  const channel = connection.channel as Channel;
  if (!provider.stages || channels[channel].kind !== 'crm') return false;
  const now = stores.now();
  const pipelines = await provider.stages(account, openCall(stores.providerOutbound, now, signal));
  return ledger.transaction(async (tx) => {
    await lockRun(tx, run);
    const isMapped = await storeStages(tx, run.profileId, channel, pipelines, now);
    if (isMapped) await saveCursor(tx, run, null, undefined, []);
    return isMapped;
  });
}

/** Undefined if everything was read; otherwise how long to wait before continuing. */
async function readPages(
  context: RunContext,
  from: unknown,
  onStored: (position: unknown) => void,
): Promise<{ waitMs: number } | undefined> {
  const { stores, opened, signal, endsAt } = context;
  const { provider, account } = opened;
  const call = openCall(stores.providerOutbound, stores.now(), signal);
  for await (const page of provider.sync?.(account, from, call) ?? []) {
    await storePage(context, page);
    onStored(page.position);
    const due = provider.connect?.refreshAt?.(account.credentials);
    // The next run refreshes the credentials first.
    if (due && due <= stores.now()) return { waitMs: 0 };
    if (page.waitMs !== undefined && page.waitMs > maxWaitMs) return { waitMs: page.waitMs };
    if (performance.now() > endsAt) return { waitMs: 0 };
    if (page.waitMs) await sleep(page.waitMs, undefined, { signal });
  }
  return undefined;
}

async function storePage({ stores, ledger, run, opened }: RunContext, page: SyncPage<unknown>): Promise<void> {
  const { profileId, connectionId } = run;
  const channel = opened.connection.channel as Channel;
  const source = { profileId, connectionId, channel, services: stores.outcomes, now: stores.now() };
  await retryOnConflict(() =>
    ledger.transaction(async (tx) => {
      await lockRun(tx, run);
      const rejected = await applyProviderRecords(tx, source, page.records);
      await saveCursor(tx, run, page.position, page.progress, rejected);
    }),
  );
}

/** Stores the provider's error message for the profile and schedules the next attempt by the kind of fault. */
async function fail(
  { now, random }: SyncStores,
  ledger: Ledger,
  run: Run,
  opened: OpenedAccount | undefined,
  failures: number,
  fault: ProviderFault,
): Promise<void> {
  const at = now();
  const { verdict, says, code, retryAfterMs, reach } = fault.details;
  const after = (ms: number) => new Date(at.getTime() + ms);
  const dueAt = { wait: waitAfter(failures, retryAfterMs, random()), refused: hourMs, needs_action: hourMs };
  await ledger.transaction(async (tx) => {
    await lockRun(tx, run);
    if (opened && reach === 'app')
      await pauseProvider(tx, opened.connection.channel, after(retryAfterMs ?? usualPauseMs));
    if (opened) await applyFault(tx, { ...run, revision: opened.connection.credentials_revision, now: at }, fault);
    await failRun(tx, run, says || code, at, verdict === 'reconnect' ? null : after(dueAt[verdict]));
  });
}

/** Ends the sync until the account is connected again or the operator configures the provider. */
async function endUnusable(
  { now }: SyncStores,
  ledger: Ledger,
  run: Run,
  { reason }: ConnectionUnusable,
): Promise<void> {
  const isOver = reason !== 'provider_not_configured';
  const at = now();
  await ledger.transaction(async (tx) => {
    await lockRun(tx, run);
    await failRun(tx, run, reasonMessages[reason], at, isOver ? null : nextRunAt(run.connectionId, at));
  });
}

const reasonMessages: Record<ConnectionUnusable['reason'], string> = {
  unknown: 'The connection is gone.',
  disconnected: 'The connection was disconnected.',
  reconnect_required: 'A person has to connect again.',
  no_credentials: 'The connection holds no token.',
  provider_not_configured: 'The operator has not set this provider up.',
};
