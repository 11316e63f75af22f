import type { CredentialKind } from '@tributary/contract';
import { openAccount } from '@tributary/domain/advertising/connections';
import { writeAudit } from '@tributary/domain/tenancy/accountability';
import { findWorkspaceOf } from '@tributary/domain/tenancy/tenants';
import { openCall } from '@tributary/providers';
import { type AdActionStage, hourMs, limits } from '@tributary/vocabulary';
import { v7 as uuid } from 'uuid';
import { type AdState, matches, stateOf } from './ad-state.ts';
import type { AdStores } from './services.ts';
import { type Action, claimAction, type Entry, endAction } from './store.ts';

const readWithinMs = 15_000;
/** Wait before the next attempt when the platform cannot be read; doubles each time. */
const firstPauseMs = 5_000;
const maxPauseMs = 600_000;

type End = Entry & { readonly stage: Exclude<AdActionStage, 'attempted'> };

/**
 * Ends an overdue action by the platform's current state. If the requested change is in effect, it happened; otherwise it did not, because
 * the sender has given up long ago. Safe to run twice: only the holder of an action can end it.
 */
export async function settle(stores: AdStores, profileId: string, action: Action, signal: AbortSignal): Promise<void> {
  const { app, now } = stores;
  const ledger = app.forProfile(profileId);
  const at = now();
  const pauseMs = Math.min(firstPauseMs * 2 ** Math.min(action.looks, 10), maxPauseMs);
  const claimed = await ledger.transaction((tx) =>
    claimAction(tx, profileId, action, uuid(), new Date(at.getTime() + readWithinMs + pauseMs)),
  );
  if (!claimed) return;
  const ended = claimed.state === 'reading' ? interrupted : await lookUp(stores, profileId, claimed, at, signal);
  if (!ended) return;
  await ledger.transaction(async (tx) => {
    const row = await endAction(tx, profileId, claimed, ended, claimed.requestId, at);
    const workspaceId = await findWorkspaceOf(tx, profileId);
    if (!row || !workspaceId) return;
    await writeAudit(tx, {
      log: { workspaceId },
      actor: { kind: row.actorKind as CredentialKind, id: row.actorId },
      action: `${row.level}.${row.kind}`,
      target: `${row.level}:${row.externalId}`,
      result: ended.stage === 'applied' ? 'done' : 'refused',
      detail: { action_id: row.id, outcome: ended.stage, reason: ended.reason ?? null },
      requestId: row.requestId,
      at,
    });
  });
}

/** Nothing was sent. */
const interrupted: End = { stage: 'failed', reason: 'interrupted' };

async function lookUp(
  stores: AdStores,
  profileId: string,
  action: Action,
  at: Date,
  signal: AbortSignal,
): Promise<End | undefined> {
  const { app, providerOutbound } = stores;
  const within = AbortSignal.any([signal, AbortSignal.timeout(readWithinMs)]);
  try {
    const ledger = app.forProfile(profileId);
    const { provider, account } = await openAccount({ ...stores, ledger }, profileId, action.connectionId, at, within);
    const live = await provider.act?.read(account, action, openCall(providerOutbound, at, within));
    if (!live) return { stage: 'failed', reason: 'gone' };
    const found = stateOf(live);
    if (!matches(found, action.wanted)) return { stage: 'failed', reason: 'not_applied' };
    const after = { ...(action.after as AdState), creative_id: found.creative_id, url_tags: found.url_tags };
    return { stage: 'applied', reason: 'found_applied', before: action.before, after };
  } catch (error) {
    signal.throwIfAborted();
    const givenUpAt = (action.sentAt as Date).getTime() + limits.adActions.givenUpAfterHours * hourMs;
    if (at.getTime() < givenUpAt) return undefined;
    return { stage: 'unknown', reason: error instanceof Error ? 'platform_unreadable' : null };
  }
}
