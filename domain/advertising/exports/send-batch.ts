import { findWorkspaceOf, isHealthcareProfile } from '@tributary/domain/tenancy/tenants';
import { disclosePersonalData, Refusal, refuse } from '@tributary/operations';
import { switchScope, type Tx } from '@tributary/postgres';
import { type Account, type Export, type ExportAnswer, openCall, ProviderFault } from '@tributary/providers';
import type { Composed } from './compose.ts';
import { withPeople } from './people.ts';
import type { ExportStores } from './services.ts';
import type { ExportResult } from './store.ts';

/** The connection to a platform during a batch. */
export interface PlatformLine {
  readonly stores: ExportStores;
  readonly profileId: string;
  readonly connectionId: string;
  readonly platform: Export<unknown>;
  readonly account: Account<unknown>;
  readonly isPrivate: boolean;
  readonly signal: AbortSignal;
}

/** Wait before retrying an unavailable platform. */
const waitSeconds = 60;
const pollSeconds = 30;

/**
 * Sends events of one dataset. A platform rejects a batch as a whole: then each half is sent separately, until the bad event is isolated.
 * Faults that do not concern the events are thrown; results before them are kept.
 */
export async function sendBatch(
  platformLine: PlatformLine,
  events: readonly Composed[],
  results: ExportResult[],
): Promise<void> {
  if (events.length === 0) return;
  let answer: ExportAnswer;
  try {
    answer = await sendOnce(platformLine, events);
  } catch (error) {
    if (error instanceof Refusal) {
      // The privacy mode is being changed; the next batch sends what is allowed then.
      results.push(...events.map(({ outcomeId }) => waiting(outcomeId, waitSeconds, true)));
      return;
    }
    if (!(error instanceof ProviderFault) || error.details.verdict === 'reconnect') throw error;
    const { retryAfterMs, mayHaveHappened } = error.details;
    const wait = Math.max(waitSeconds, (retryAfterMs ?? 0) / 1_000);
    results.push(...events.map(({ outcomeId }) => waiting(outcomeId, wait, !mayHaveHappened)));
    return;
  }
  switch (answer.state) {
    case 'accepted':
      results.push(...events.map(({ outcomeId }) => ({ outcomeId, status: 'sent' as const })));
      return;
    case 'processing': {
      const { ticket } = answer;
      results.push(
        ...events.map(({ outcomeId }) => ({
          outcomeId,
          status: 'processing' as const,
          ticket,
          mostTogether: events.length,
          waitSeconds: pollSeconds,
        })),
      );
      return;
    }
    case 'rejected': {
      const [only] = events;
      if (events.length === 1 && only) {
        results.push({ outcomeId: only.outcomeId, status: 'refused', reason: 'platform_refused' });
        return;
      }
      const half = Math.ceil(events.length / 2);
      await sendBatch(platformLine, events.slice(0, half), results);
      await sendBatch(platformLine, events.slice(half), results);
    }
  }
}

const waiting = (outcomeId: string, seconds: number, isUnsent: boolean): ExportResult => ({
  outcomeId,
  status: 'waiting',
  reason: 'platform_away',
  waitSeconds: seconds,
  isUnsent,
});

/**
 * Goes through the personal-data gate if there are customers: logs the access and reads customer data and privacy mode under a lock until
 * the request is sent.
 */
async function sendOnce(platformLine: PlatformLine, events: readonly Composed[]): Promise<ExportAnswer> {
  const { stores, profileId, connectionId, platform, account, isPrivate, signal } = platformLine;
  const { app, gate, now, providerOutbound } = stores;
  const dataset = events[0]?.dataset ?? '';
  const send = (withCustomers: readonly Composed[], cut: AbortSignal) => {
    const prepared = platform.prepare(
      withCustomers.map(({ event }) => event),
      dataset,
      account,
    );
    return platform.send(account, dataset, prepared, openCall(providerOutbound, now(), AbortSignal.any([cut, signal])));
  };
  const people = new Set(events.flatMap(({ customerId }) => customerId ?? [])).size;
  if (isPrivate || people === 0) return send(events, signal);
  const workspaceId = await app
    .forProfile(profileId)
    .transaction((tx) => findWorkspaceOf(tx, profileId), { readOnly: true });
  let withCustomers: readonly Composed[] = [];
  let answer: ExportAnswer | undefined;
  const access = {
    operation: 'conversion_export',
    profileId,
    workspaceId: workspaceId ?? '',
    actor: { kind: 'connection', id: connectionId },
    people,
    requestId: `export_${connectionId}`,
    now: now(),
    recheck: async (tx: Tx) => {
      await switchScope(tx, { profileId });
      if (await isHealthcareProfile(tx, profileId)) refuse('forbidden', 'The privacy of the profile changed.');
      withCustomers = await withPeople(tx, profileId, events);
    },
  };
  await disclosePersonalData(gate, access, async (cut) => {
    answer = await send(withCustomers, cut);
  });
  if (!answer)
    throw new ProviderFault({ verdict: 'wait', code: 'cut', says: 'It took too long.', mayHaveHappened: true });
  return answer;
}
