import { findConnection, saveConnection } from '@tributary/domain/advertising/connections';
import { announce } from '@tributary/domain/tenancy/events';
import type { Actor } from '@tributary/operations';
import type { Tx } from '@tributary/postgres';
import { type Candidate, type Connect, openCall, ProviderFault } from '@tributary/providers';
import { type HandoffProvider, type HandoffReason, limits, minuteMs } from '@tributary/vocabulary';
import { v7 as uuid } from 'uuid';
import { isReturnAllowed } from './allowed-return.ts';
import {
  type BounceOutcome,
  type Ending,
  getFinalOutcome,
  outcomeForEnding,
  outcomeForReason,
  settle,
} from './handoff.ts';
import { sealParked } from './parked.ts';
import { parkSelection } from './selection-store.ts';
import type { HandoffPageServices } from './services.ts';
import {
  claimHandoff,
  type HandoffLocation,
  type HandoffRow,
  lockHandoff,
  releaseHandoff,
  settleHandoff,
  toHandoff,
} from './store.ts';

/** A returned consent: the provider's response, in the browser that started it. */
export interface ConsentReturn {
  readonly query: Readonly<Record<string, string>>;
  readonly redirectUri: string;
  readonly codeVerifier: string;
}

export interface RequestMoment {
  readonly now: Date;
  readonly requestId: string;
}

/** The credentials and accounts of a consent after its code was exchanged. */
interface Offer {
  readonly credentials: unknown;
  readonly candidates: readonly Candidate<unknown>[];
}

/** Finishes a consent, unless another one was used. Resolves to the outcome for the user. */
export async function finishConsent(
  services: HandoffPageServices,
  at: HandoffLocation,
  consentReturn: ConsentReturn,
  moment: RequestMoment,
): Promise<BounceOutcome> {
  const claim = uuid();
  const claimed = await services.postgres.withScope(at).transaction(async (tx) => {
    const row = await lockHandoff(tx, at.profileId, at.id);
    if (!row) return outcomeForReason('state_invalid');
    const outcome = getFinalOutcome(toHandoff(row), moment.now);
    if (outcome) return outcome;
    const connect = services.providers.of(row.provider as HandoffProvider)?.connect;
    const reason = await findBlockingReason(tx, row, connect, services.baseUrl);
    if (reason) return end(tx, services, { row, at, ending: { reason }, moment });
    const callback = (connect as Connect<unknown>).readCallback(consentReturn.query);
    if ('reason' in callback) return end(tx, services, { row, at, ending: callback, moment });
    await claimHandoff(tx, row, claim, moment.now);
    return { row, connect: connect as Connect<unknown>, code: callback.code };
  });
  if ('status' in claimed) return claimed;
  const offer = await exchange(services, claimed.connect, { ...consentReturn, code: claimed.code }, moment.now);
  return store(services, at, { claim, offer, moment });
}

/** Returns why no consent can start or finish, regardless of the user. */
export async function findBlockingReason(
  tx: Tx,
  { profile_id: profileId, app_id: appId, return_url: returnUrl }: HandoffRow,
  connect: unknown,
  baseUrl: string,
): Promise<HandoffReason | undefined> {
  if (returnUrl && !(await isReturnAllowed(tx, { profileId, appId, returnUrl, baseUrl }))) return 'origin_not_allowed';
  return connect ? undefined : 'provider_not_configured';
}

/**
 * Exchanges the code for credentials and lists their accounts, or returns the reason of a failure. No transaction is
 * open meanwhile.
 */
async function exchange(
  { providerOutbound, onError }: HandoffPageServices,
  connect: Connect<unknown>,
  { code, redirectUri, codeVerifier }: ConsentReturn & { readonly code: string },
  now: Date,
): Promise<Offer | HandoffReason> {
  const call = openCall(providerOutbound, now, AbortSignal.timeout(exchangeMs));
  const grant = { code, redirectUri, ...(connect.usesPkce && { codeVerifier }) };
  let isExchanged = false;
  try {
    const credentials = await connect.exchange(grant, call);
    isExchanged = true;
    const candidates = await connect.candidates(credentials, call);
    if (candidates.length === 0) return 'no_candidates';
    return { credentials, candidates: candidates.slice(0, limits.handoff.mostCandidates) };
  } catch (error) {
    onError(error);
    if (!(error instanceof ProviderFault) || error.details.verdict === 'wait') return 'internal_error';
    return isExchanged ? 'provider_error' : 'token_exchange_failed';
  }
}

/** Limits the exchange, because the browser waits for it. */
const exchangeMs = 20_000;

interface StoreParams {
  readonly claim: string;
  readonly offer: Offer | HandoffReason;
  readonly moment: RequestMoment;
}

/** Stores the result if this consent still holds the claim. */
async function store(services: HandoffPageServices, at: HandoffLocation, params: StoreParams): Promise<BounceOutcome> {
  const { claim, offer, moment } = params;
  const ledger = services.postgres.withScope(at);
  const settleWith = (decide: (tx: Tx, row: HandoffRow) => Promise<Ending>) =>
    ledger.transaction(async (tx) => {
      const row = await lockHandoff(tx, at.profileId, at.id);
      // The exchange took so long that another consent used the link or the hand-off ended.
      if (row?.claim !== claim || row.status !== 'pending') return outcomeForReason('handoff_used');
      return end(tx, services, { row, at, ending: await decide(tx, row), moment });
    });
  if (typeof offer === 'string') return settleWith(async () => ({ reason: offer }));
  try {
    return await settleWith((tx, row) => connectOrPark(tx, services, { row, at, offer, now: moment.now }));
  } catch (error) {
    services.onError(error);
    return settleWith(async () => ({ reason: 'connect_failed' }));
  }
}

interface ConnectParams {
  readonly row: HandoffRow;
  readonly at: HandoffLocation;
  readonly offer: Offer;
  readonly now: Date;
}

/** Connects a single account; several are stored for a selection. */
async function connectOrPark(
  tx: Tx,
  services: HandoffPageServices,
  { row, at, offer, now }: ConnectParams,
): Promise<Ending> {
  const { credentials } = offer;
  const candidates = await limitToReconnect(tx, row, offer.candidates);
  if (candidates.length === 0) return { reason: 'no_candidates' };
  const provider = row.provider as HandoffProvider;
  const [only, ...others] = candidates;
  if (only && others.length === 0) {
    const { profileId, workspaceId } = at;
    const request = { profileId, workspaceId, appId: row.app_id ?? undefined, channel: provider, candidate: only };
    const saved = await saveConnection(tx, services, { ...request, credentials, now });
    return saved === 'account_connected_elsewhere' ? { reason: saved } : saved;
  }
  const selectionExpiresAt = new Date(now.getTime() + limits.handoff.parkedTokenMinutes * minuteMs);
  const parked = {
    credentials,
    candidates: candidates.map((one) => ({ ...one, granted: [...one.granted], details: { ...one.details } })),
  };
  await parkSelection(tx, {
    profile_id: at.profileId,
    id: at.id,
    provider,
    app_id: row.app_id,
    parked: sealParked(services.vault, at, parked),
    parked_until: selectionExpiresAt,
    candidate_count: candidates.length,
    created_at: now,
    expires_at: selectionExpiresAt,
  });
  return { candidateCount: candidates.length, selectionExpiresAt };
}

/** Limits a reconnect link to the account of its connection. */
async function limitToReconnect(
  tx: Tx,
  row: HandoffRow,
  candidates: Offer['candidates'],
): Promise<Offer['candidates']> {
  if (!row.reconnects) return candidates;
  const connection = await findConnection(tx, row.profile_id, row.reconnects);
  return candidates.filter(({ externalId }) => externalId === connection?.external_id);
}

interface EndParams {
  readonly row: HandoffRow;
  readonly at: HandoffLocation;
  readonly ending: Ending;
  readonly moment: RequestMoment;
}

/** Applies an ending to a locked hand-off, with its event and audit entry; some endings leave it open. */
export async function end(
  tx: Tx,
  services: Pick<HandoffPageServices, 'audit'>,
  { row, at, ending, moment: { now, requestId } }: EndParams,
): Promise<BounceOutcome> {
  const settled = settle(ending);
  if (!settled) {
    if (row.claim) await releaseHandoff(tx, row);
    return outcomeForEnding(ending);
  }
  await settleHandoff(tx, row, settled, now);
  const { profileId, workspaceId, id } = at;
  const provider = row.provider as HandoffProvider;
  if (settled.status === 'completed') {
    const { connectionId: connection_id, candidateCount: candidate_count, selectionExpiresAt } = settled;
    const pending_selection =
      candidate_count !== null && selectionExpiresAt
        ? { candidate_count, expires_at: selectionExpiresAt.toISOString() }
        : null;
    const data = { profile_id: profileId, handoff_id: id, provider, connection_id, pending_selection };
    await announce(tx, [{ id: uuid(), type: 'handoff.completed', data, occurredAt: now }]);
  }
  await services.audit(tx, {
    log: { workspaceId },
    actor: linkHolder(id),
    action: `handoff.${settled.status}`,
    target: `handoff:${id}`,
    result: 'done',
    detail: { provider, reason: settled.reason, connection_id: settled.connectionId },
    requestId,
    at: now,
  });
  return outcomeForEnding(ending);
}

/** The actor is the linkHolder of the link, who is otherwise unknown. */
const linkHolder = (id: string): Actor => ({ kind: 'public', id: `handoff:${id}` });
