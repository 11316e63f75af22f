import { countActiveAds } from '@tributary/domain/advertising/campaigns';
import { applyFault, openAccount } from '@tributary/domain/advertising/connections';
import { actorOf, refuse } from '@tributary/operations';
import type { Tx } from '@tributary/postgres';
import { type Call, openCall, ProviderFault } from '@tributary/providers';
import { v7 as uuid } from 'uuid';
import { type ActionAnswer, answerOf, mayRestartLearning, undoCall } from './action-response.ts';
import { matches, stateAfter, stateOf } from './ad-state.ts';
import { certainlyNotApplied, endRefused, refusalOf } from './failures.ts';
import type { Live, Plan, Request } from './request.ts';
import type { AdContext } from './services.ts';
import {
  type Action,
  beginAction,
  endAction,
  findAction,
  findByKey,
  findInProgress,
  lockEntity,
  markSent,
  type NewAction,
  restartAction,
} from './store.ts';
import { findTarget, refuseUnknown, refuseUnlessGranted, type Target } from './target.ts';

/** Commits the end of an action together with other records of the request. */
export type Commit = (end: (tx: Tx) => Promise<Action>) => Promise<Action>;

/** An action without an end is looked up after this multiple of the platform timeout. */
const settleAfter = 2.5;

/**
 * Performs a change at the platform, once per key. The ledger has an entry before the platform is called and one after; no transaction is
 * open in between. After a crash in between, the queue looks the action up (`settle.ts`).
 */
export async function perform(context: AdContext, request: Request, commit: Commit): Promise<ActionAnswer> {
  const target = await findTarget(context, request);
  if (request.isDryRun) return dryRun(context, request, target);
  const begun = await begin(context, request, target);
  if (begun.state !== 'reading') return answerOf(await commit(async () => begun));
  const signal = AbortSignal.timeout(context.adPatienceMs);
  const call = openCall(context.providerOutbound, context.now, signal);
  const { planned, live } = await readAndPlan(context, request, target, call).catch(async (error: unknown) => {
    throw await endRefused(context, begun, error, target, request);
  });
  const { before } = live;
  if (matches(before, planned.wanted))
    return answerOf(await commit((tx) => end(tx, context, begun, { stage: 'no_change', before, after: before })));
  const sent = await send(context, begun, live, planned);
  await planned.write().catch(async (error: unknown) => {
    if (certainlyNotApplied(error)) throw await endRefused(context, sent, error, target, request);
    return readAfterLostResponse(context, sent, live, error);
  });
  const after = sent.after;
  return answerOf(await commit((tx) => end(tx, context, sent, { stage: 'applied', before, after })));
}

/**
 * Counted from now, not from the time of the request: the request may have waited, and a change that is looked up too early would be made
 * twice.
 */
const lookUpTime = ({ clock, adPatienceMs }: AdContext): Date =>
  new Date(clock().getTime() + settleAfter * adPatienceMs);

/** Runs the same checks on the same live figures; sends and stores nothing. */
async function dryRun(context: AdContext, request: Request, target: Target): Promise<ActionAnswer> {
  const { ledger, caller, now, providerOutbound } = context;
  const inProgress = await ledger.transaction((tx) => findInProgress(tx, caller.profileId, target.entity));
  if (inProgress) refuseInProgress(inProgress);
  const call = openCall(providerOutbound, now, AbortSignal.timeout(context.adPatienceMs));
  const { planned, live } = await readAndPlan(context, request, target, call).catch(async (error: unknown) => {
    throw await refusalOf(context, error, target, request);
  });
  const { before } = live;
  const { kind, level, externalId, appliedBy } = request;
  const isChange = !matches(before, planned.wanted);
  return {
    outcome: isChange ? 'dry_run' : 'no_change',
    action_id: null,
    platform: target.entity.platform,
    external_id: externalId,
    before,
    after: isChange ? stateAfter(before, planned.wanted) : before,
    undo: isChange ? undoCall({ id: uuid(), kind, level, externalId, before }) : null,
    undoes_action_id: isChange ? (planned.undoes ?? null) : null,
    affected_ads_count: isChange ? await affectedAds(context, live) : 0,
    may_restart_learning: isChange && mayRestartLearning({ kind }),
    applied_by: appliedBy,
  };
}

/** The action of the key: a new one that this request performs, or one that has ended. */
async function begin(context: AdContext, request: Request, target: Target): Promise<Action> {
  const { ledger, caller, now, requestId } = context;
  const { profileId } = caller;
  const { kind, level, externalId, appliedBy, key } = request;
  const actor = actorOf(caller);
  const holder = uuid();
  return ledger.transaction(async (tx) => {
    await lockEntity(tx, profileId, target.entity);
    const existing = await findByKey(tx, profileId, key.keyHash);
    if (existing) checkExisting(existing, key.fingerprint);
    if (existing?.state === 'applied' || existing?.state === 'no_change') return existing;
    const inProgress = await findInProgress(tx, profileId, target.entity);
    if (inProgress) refuseInProgress(inProgress);
    const action: NewAction = {
      id: existing?.id ?? uuid(),
      kind,
      platform: target.entity.platform,
      level,
      externalId,
      connectionId: target.connection.id,
      ...key,
      actorKind: actor.kind,
      actorId: actor.id,
      appliedBy,
      requestId,
    };
    const dueAt = lookUpTime(context);
    const begun = existing
      ? await restartAction(tx, profileId, action, holder, dueAt)
      : await beginAction(tx, profileId, action, holder, now, dueAt);
    return begun ?? refuseInFlight();
  });
}

function checkExisting(existing: Action, fingerprint: Buffer): void {
  if (!existing.fingerprint.equals(fingerprint))
    refuse(
      'idempotency_key_conflict',
      'This Idempotency-Key was used for another request. Use a new key for a new request.',
    );
  if (existing.state === 'reading' || existing.state === 'sent') refuseInFlight();
  if (existing.state === 'unknown')
    refuse(
      'invalid_state',
      'What became of this action could not be found out. Look at the platform, and use a new key.',
      {
        fields: { reason: 'outcome_unknown' },
      },
    );
}

function refuseInFlight(): never {
  refuse(
    'idempotency_key_in_flight',
    'The request with this Idempotency-Key is still at work, or its answer is looked up.',
    {
      headers: { 'retry-after': '1' },
    },
  );
}

function refuseInProgress(inProgress: Action): never {
  refuse('invalid_state', 'Another change of the same campaign, ad set or ad is under way. Try again in a moment.', {
    fields: {
      reason: 'action_in_progress',
      ...(inProgress.dueAt &&
        Number.isFinite(inProgress.dueAt.getTime()) && { retry_at: inProgress.dueAt.toISOString() }),
    },
    headers: { 'retry-after': '1' },
  });
}

async function readAndPlan(context: AdContext, request: Request, target: Target, call: Call) {
  refuseUnlessGranted(target);
  const { account } = await openAccount(
    context,
    context.caller.profileId,
    target.connection.id,
    context.now,
    call.signal,
  );
  const read = (await target.act.read(account, target.entity, call)) ?? refuseUnknown(request.level);
  const live: Live = { ...target, account, live: read, before: stateOf(read), call };
  return { live, planned: await request.plan(live) };
}

async function send(
  context: AdContext,
  begun: Action,
  live: Live,
  { wanted, undoes, after: more }: Plan,
): Promise<Action> {
  const { ledger, caller, requestId } = context;
  const change = {
    wanted,
    before: live.before,
    after: { ...stateAfter(live.before, wanted), ...more },
    affectedAds: await affectedAds(context, live),
    undoes: undoes ?? null,
  };
  const sent = await ledger.transaction((tx) =>
    markSent(tx, caller.profileId, begun, change, requestId, context.clock(), lookUpTime(context)),
  );
  return sent ?? refuseInFlight();
}

async function affectedAds({ ledger, caller }: AdContext, { entity, live }: Live): Promise<number> {
  if (entity.level === 'ad') return 1;
  if (entity.level !== 'campaign') return 0;
  return live.activeAds ?? ledger.transaction((tx) => countActiveAds(tx, caller.profileId, entity.id));
}

/** Ends an action; if the queue has ended it meanwhile, returns that result. */
async function end(
  tx: Tx,
  { caller, now, requestId, addToAudit }: AdContext,
  action: Action,
  entry: Parameters<typeof endAction>[3],
): Promise<Action> {
  const ended = await endAction(tx, caller.profileId, action, entry, requestId, now);
  const found = ended ?? (await findAction(tx, caller.profileId, action.id));
  if (found?.state !== 'applied' && found?.state !== 'no_change') return refuseInFlight();
  addToAudit({ detail: { action_id: found.id, outcome: found.state, applied_by: found.appliedBy } });
  return found;
}

/**
 * The response was lost. If the change is visible at the platform, it happened; if not, it may still be in flight and is looked up later.
 */
async function readAfterLostResponse(context: AdContext, sent: Action, live: Live, error: unknown): Promise<undefined> {
  const { act, account, entity, connection } = live;
  const { ledger, caller, now, providerOutbound } = context;
  const call = openCall(providerOutbound, now, AbortSignal.timeout(context.adPatienceMs / 4));
  const read = await act.read(account, entity, call).catch(() => undefined);
  if (read && matches(stateOf(read), sent.wanted)) return undefined;
  if (error instanceof ProviderFault) {
    const faulty = {
      profileId: caller.profileId,
      connectionId: connection.id,
      revision: connection.credentials_revision,
      now,
    };
    await ledger.transaction((tx) => applyFault(tx, faulty, error));
  }
  return refuse(
    'provider_error',
    'The platform’s answer was lost. It is read again soon; the same Idempotency-Key then says what became of the change.',
    {
      fields: { reason: 'answer_lost', ...(error instanceof ProviderFault && { provider_code: error.details.code }) },
      headers: { 'retry-after': String(Math.ceil((settleAfter * context.adPatienceMs) / 1_000)) },
    },
  );
}
