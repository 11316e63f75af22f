import { countActiveAds } from '@tributary/domain/campaigns';
import { noteFault, openAccount } from '@tributary/domain/connections';
import { actorOf, refuse } from '@tributary/operations';
import type { Tx } from '@tributary/postgres';
import { type Call, openCall, ProviderFault } from '@tributary/providers';
import { v7 as uuid } from 'uuid';
import { isSo, stateAfter, stateOf } from './ad-state.ts';
import { endRefused, refusalOf, surelyNot } from './failures.ts';
import type { Live, Plan, Request } from './request.ts';
import type { AdContext } from './services.ts';
import { type ActionAnswer, answerOf, mayRestartLearning, undoCall } from './show-action.ts';
import {
  type Action,
  beginAction,
  beginAgain,
  endAction,
  findAction,
  findByKey,
  findUnderWay,
  lockEntity,
  markSent,
  type NewAction,
} from './store.ts';
import { findTarget, refuseUnknown, refuseUnlessGranted, type Target } from './target.ts';

/** Commits the end of an action, with whatever else is to be kept of it. */
export type Commit = (end: (tx: Tx) => Promise<Action>) => Promise<Action>;

/** What nobody has ended so many times later than it would have been given up is looked up. */
const settleAfter = 2.5;

/**
 * Carries a change out at the platform, once for each key. The ledger has an entry before the platform is called and one after; no
 * transaction is open meanwhile. Whoever dies in between leaves an action that the queue looks up (`settle.ts`).
 */
export async function perform(context: AdContext, request: Request, commit: Commit): Promise<ActionAnswer> {
  const target = await findTarget(context, request);
  if (request.isDryRun) return rehearse(context, request, target);
  const begun = await begin(context, request, target);
  if (begun.state !== 'reading') return answerOf(await commit(async () => begun));
  const signal = AbortSignal.timeout(context.adPatienceMs);
  const call = openCall(context.providerOutbound, context.now, signal);
  const { planned, live } = await look(context, request, target, call).catch(async (error: unknown) => {
    throw await endRefused(context, begun, error, target, request);
  });
  const { before } = live;
  if (isSo(before, planned.wanted))
    return answerOf(await commit((tx) => end(tx, context, begun, { stage: 'no_change', before, after: before })));
  const sent = await send(context, begun, live, planned);
  await planned.write().catch(async (error: unknown) => {
    if (surelyNot(error)) throw await endRefused(context, sent, error, target, request);
    return lookAgain(context, sent, live, error);
  });
  const after = sent.after;
  return answerOf(await commit((tx) => end(tx, context, sent, { stage: 'applied', before, after })));
}

/** From this moment, not from when the request came: it may have waited long, and a change that is looked up too soon is done twice. */
const lookUpAt = ({ clock, adPatienceMs }: AdContext): Date => new Date(clock().getTime() + settleAfter * adPatienceMs);

/** The same checks against the same live figures; nothing is sent or kept. */
async function rehearse(context: AdContext, request: Request, target: Target): Promise<ActionAnswer> {
  const { ledger, caller, now, providerOutbound } = context;
  const underWay = await ledger.transaction((tx) => findUnderWay(tx, caller.profileId, target.entity));
  if (underWay) refuseInProgress(underWay);
  const call = openCall(providerOutbound, now, AbortSignal.timeout(context.adPatienceMs));
  const { planned, live } = await look(context, request, target, call).catch(async (error: unknown) => {
    throw await refusalOf(context, error, target, request);
  });
  const { before } = live;
  const { kind, level, externalId, appliedBy } = request;
  const isChange = !isSo(before, planned.wanted);
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

/** The action of the key: one that is to be carried out, held by us, or one that has ended. */
async function begin(context: AdContext, request: Request, target: Target): Promise<Action> {
  const { ledger, caller, now, requestId } = context;
  const { profileId } = caller;
  const { kind, level, externalId, appliedBy, key } = request;
  const actor = actorOf(caller);
  const holder = uuid();
  return ledger.transaction(async (tx) => {
    await lockEntity(tx, profileId, target.entity);
    const known = await findByKey(tx, profileId, key.keyHash);
    if (known) checkKnown(known, key.fingerprint);
    if (known?.state === 'applied' || known?.state === 'no_change') return known;
    const underWay = await findUnderWay(tx, profileId, target.entity);
    if (underWay) refuseInProgress(underWay);
    const action: NewAction = {
      id: known?.id ?? uuid(),
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
    const dueAt = lookUpAt(context);
    const begun = known
      ? await beginAgain(tx, profileId, action, holder, dueAt)
      : await beginAction(tx, profileId, action, holder, now, dueAt);
    return begun ?? refuseInFlight();
  });
}

function checkKnown(known: Action, fingerprint: Buffer): void {
  if (!known.fingerprint.equals(fingerprint))
    refuse(
      'idempotency_key_conflict',
      'This Idempotency-Key was used for another request. Use a new key for a new request.',
    );
  if (known.state === 'reading' || known.state === 'sent') refuseInFlight();
  if (known.state === 'unknown')
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

function refuseInProgress(underWay: Action): never {
  refuse('invalid_state', 'Another change of the same campaign, ad set or ad is under way. Try again in a moment.', {
    fields: {
      reason: 'action_in_progress',
      ...(underWay.dueAt && Number.isFinite(underWay.dueAt.getTime()) && { retry_at: underWay.dueAt.toISOString() }),
    },
    headers: { 'retry-after': '1' },
  });
}

async function look(context: AdContext, request: Request, target: Target, call: Call) {
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
    markSent(tx, caller.profileId, begun, change, requestId, context.clock(), lookUpAt(context)),
  );
  return sent ?? refuseInFlight();
}

async function affectedAds({ ledger, caller }: AdContext, { entity, live }: Live): Promise<number> {
  if (entity.level === 'ad') return 1;
  if (entity.level !== 'campaign') return 0;
  return live.activeAds ?? ledger.transaction((tx) => countActiveAds(tx, caller.profileId, entity.id));
}

/** What ends an action; where somebody has looked it up meanwhile, what they found. */
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

/** The answer was lost. What happened can be seen at once; what did not may still be on its way, and is looked up later. */
async function lookAgain(context: AdContext, sent: Action, live: Live, error: unknown): Promise<undefined> {
  const { act, account, entity, connection } = live;
  const { ledger, caller, now, providerOutbound } = context;
  const call = openCall(providerOutbound, now, AbortSignal.timeout(context.adPatienceMs / 4));
  const read = await act.read(account, entity, call).catch(() => undefined);
  if (read && isSo(stateOf(read), sent.wanted)) return undefined;
  if (error instanceof ProviderFault) {
    const faulty = {
      profileId: caller.profileId,
      connectionId: connection.id,
      revision: connection.credentials_revision,
      now,
    };
    await ledger.transaction((tx) => noteFault(tx, faulty, error));
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
