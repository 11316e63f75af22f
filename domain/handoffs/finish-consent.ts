import { findConnection, saveConnection } from '@tributary/domain/connections';
import { announce } from '@tributary/domain/events';
import type { Actor } from '@tributary/operations';
import type { Tx } from '@tributary/postgres';
import { type Candidate, type Connect, openCall, ProviderFault } from '@tributary/providers';
import { type HandoffProvider, type HandoffReason, limits, minuteMs } from '@tributary/vocabulary';
import { v7 as uuid } from 'uuid';
import { isReturnAllowed } from './allowed-return.ts';
import { answerTo, type Ending, settle, type Told, toldOf, toldOfEnding } from './handoff.ts';
import { sealParked } from './parked.ts';
import { parkSelection } from './selection-store.ts';
import type { HandoffPageServices } from './services.ts';
import {
  claimHandoff,
  type HandoffRow,
  handoffOf,
  lockHandoff,
  releaseHandoff,
  settleHandoff,
  type Whereabouts,
} from './store.ts';

/** A consent that has come back: the provider's answer, in the browser that it began in. */
export interface Arrival {
  readonly query: Readonly<Record<string, string>>;
  readonly redirectUri: string;
  readonly codeVerifier: string;
}

export interface Moment {
  readonly now: Date;
  readonly requestId: string;
}

/** What a consent offers once its code was exchanged. */
interface Offer {
  readonly credentials: unknown;
  readonly candidates: readonly Candidate<unknown>[];
}

/** Uses a consent, unless another was used. Resolves to what the person is told. */
export async function finishConsent(
  services: HandoffPageServices,
  at: Whereabouts,
  arrival: Arrival,
  moment: Moment,
): Promise<Told> {
  const claim = uuid();
  const begun = await services.postgres.behind(at).transaction(async (tx) => {
    const row = await lockHandoff(tx, at.profileId, at.id);
    if (!row) return toldOf('state_invalid');
    const told = answerTo(handoffOf(row), moment.now);
    if (told) return told;
    const connect = services.providers.of(row.provider as HandoffProvider)?.connect;
    const reason = await whyNot(tx, row, connect, services.baseUrl);
    if (reason) return end(tx, services, { row, at, ending: { reason }, moment });
    const answered = (connect as Connect<unknown>).readCallback(arrival.query);
    if ('reason' in answered) return end(tx, services, { row, at, ending: answered, moment });
    await claimHandoff(tx, row, claim, moment.now);
    return { row, connect: connect as Connect<unknown>, code: answered.code };
  });
  if ('status' in begun) return begun;
  const offer = await exchange(services, begun.connect, { ...arrival, code: begun.code }, moment.now);
  return store(services, at, { claim, offer, moment });
}

/** Why no consent can begin or end here, whatever a person does. */
export async function whyNot(
  tx: Tx,
  { profile_id: profileId, app_id: appId, return_url: returnUrl }: HandoffRow,
  connect: unknown,
  baseUrl: string,
): Promise<HandoffReason | undefined> {
  if (returnUrl && !(await isReturnAllowed(tx, { profileId, appId, returnUrl, baseUrl }))) return 'origin_not_allowed';
  return connect ? undefined : 'provider_not_configured';
}

/** The code becomes credentials and the accounts that they reach, or a reason why not. Nothing is written meanwhile. */
async function exchange(
  { providerOutbound, onError }: HandoffPageServices,
  connect: Connect<unknown>,
  { code, redirectUri, codeVerifier }: Arrival & { readonly code: string },
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

/** The browser waits for all of it. */
const exchangeMs = 20_000;

interface Storing {
  readonly claim: string;
  readonly offer: Offer | HandoffReason;
  readonly moment: Moment;
}

/** Writes what came of it, as long as this consent is still the one that is used. */
async function store(services: HandoffPageServices, at: Whereabouts, storing: Storing): Promise<Told> {
  const { claim, offer, moment } = storing;
  const ledger = services.postgres.behind(at);
  const settleBy = (decide: (tx: Tx, row: HandoffRow) => Promise<Ending>) =>
    ledger.transaction(async (tx) => {
      const row = await lockHandoff(tx, at.profileId, at.id);
      // It took so long that the link was used again, or is over.
      if (row?.claim !== claim || row.status !== 'pending') return toldOf('handoff_used');
      return end(tx, services, { row, at, ending: await decide(tx, row), moment });
    });
  if (typeof offer === 'string') return settleBy(async () => ({ reason: offer }));
  try {
    return await settleBy((tx, row) => keep(tx, services, { row, at, offer, now: moment.now }));
  } catch (error) {
    services.onError(error);
    return settleBy(async () => ({ reason: 'connect_failed' }));
  }
}

interface Keeping {
  readonly row: HandoffRow;
  readonly at: Whereabouts;
  readonly offer: Offer;
  readonly now: Date;
}

/** A single account is connected; of several somebody has to choose. */
async function keep(tx: Tx, services: HandoffPageServices, { row, at, offer, now }: Keeping): Promise<Ending> {
  const { credentials } = offer;
  const candidates = await withinReconnect(tx, row, offer.candidates);
  if (candidates.length === 0) return { reason: 'no_candidates' };
  const provider = row.provider as HandoffProvider;
  const [only, ...others] = candidates;
  if (only && others.length === 0) {
    const { profileId, workspaceId } = at;
    const made = { profileId, workspaceId, appId: row.app_id ?? undefined, channel: provider, candidate: only };
    const saved = await saveConnection(tx, services, { ...made, credentials, now });
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

/** A link that renews one connection takes the account of that connection and no other. */
async function withinReconnect(tx: Tx, row: HandoffRow, candidates: Offer['candidates']): Promise<Offer['candidates']> {
  if (!row.reconnects) return candidates;
  const connection = await findConnection(tx, row.profile_id, row.reconnects);
  return candidates.filter(({ externalId }) => externalId === connection?.external_id);
}

interface Ended {
  readonly row: HandoffRow;
  readonly at: Whereabouts;
  readonly ending: Ending;
  readonly moment: Moment;
}

/** Decides a hand-off whose row is locked, with its event and its entry in the audit log; or leaves it open. */
export async function end(
  tx: Tx,
  services: Pick<HandoffPageServices, 'audit'>,
  { row, at, ending, moment: { now, requestId } }: Ended,
): Promise<Told> {
  const settled = settle(ending);
  if (!settled) {
    if (row.claim) await releaseHandoff(tx, row);
    return toldOfEnding(ending);
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
    actor: holder(id),
    action: `handoff.${settled.status}`,
    target: `handoff:${id}`,
    result: 'done',
    detail: { provider, reason: settled.reason, connection_id: settled.connectionId },
    requestId,
    at: now,
  });
  return toldOfEnding(ending);
}

/** Whoever held the link, of whom nothing else is known. */
const holder = (id: string): Actor => ({ kind: 'public', id: `handoff:${id}` });
