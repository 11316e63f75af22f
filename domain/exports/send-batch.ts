import { findWorkspaceOf, isHealthcareProfile } from '@tributary/domain/tenants';
import { leaveWithPeople, Refusal, refuse } from '@tributary/operations';
import { enter, type Tx } from '@tributary/postgres';
import { type Account, type Export, type ExportAnswer, openCall, ProviderFault } from '@tributary/providers';
import type { Composed } from './compose.ts';
import { withPeople } from './people.ts';
import type { ExportStores } from './services.ts';
import type { Standing } from './store.ts';

/** How a platform is reached in a turn. */
export interface Line {
  readonly stores: ExportStores;
  readonly profileId: string;
  readonly connectionId: string;
  readonly platform: Export<unknown>;
  readonly account: Account<unknown>;
  readonly isPrivate: boolean;
  readonly signal: AbortSignal;
}

/** A platform that is away is asked again after so long. */
const waitSeconds = 60;
const pollSeconds = 30;

/**
 * Sends events of one dataset. A platform refuses a batch as a whole: then each half is sent by itself, until what it does not like
 * stands alone. A fault that is not about the events is thrown; what was settled before it stays settled.
 */
export async function sendBatch(line: Line, events: readonly Composed[], settled: Standing[]): Promise<void> {
  if (events.length === 0) return;
  let answer: ExportAnswer;
  try {
    answer = await sendOnce(line, events);
  } catch (error) {
    if (error instanceof Refusal) {
      // Privacy is being switched: the next turn sends what it may then.
      settled.push(...events.map(({ outcomeId }) => waiting(outcomeId, waitSeconds, true)));
      return;
    }
    if (!(error instanceof ProviderFault) || error.details.verdict === 'reconnect') throw error;
    const { retryAfterMs, mayHaveHappened } = error.details;
    const wait = Math.max(waitSeconds, (retryAfterMs ?? 0) / 1_000);
    settled.push(...events.map(({ outcomeId }) => waiting(outcomeId, wait, !mayHaveHappened)));
    return;
  }
  switch (answer.state) {
    case 'accepted':
      settled.push(...events.map(({ outcomeId }) => ({ outcomeId, status: 'sent' as const })));
      return;
    case 'processing': {
      const { ticket } = answer;
      settled.push(
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
        settled.push({ outcomeId: only.outcomeId, status: 'refused', reason: 'platform_refused' });
        return;
      }
      const half = Math.ceil(events.length / 2);
      await sendBatch(line, events.slice(0, half), settled);
      await sendBatch(line, events.slice(half), settled);
    }
  }
}

const waiting = (outcomeId: string, seconds: number, isUnsent: boolean): Standing => ({
  outcomeId,
  status: 'waiting',
  reason: 'platform_away',
  waitSeconds: seconds,
  isUnsent,
});

/** Through the one gate where it names people: the access is written down, and people and privacy are read under the lock until it has left. */
async function sendOnce(line: Line, events: readonly Composed[]): Promise<ExportAnswer> {
  const { stores, profileId, connectionId, platform, account, isPrivate, signal } = line;
  const { app, gate, now, providerOutbound } = stores;
  const dataset = events[0]?.dataset ?? '';
  const send = (told: readonly Composed[], cut: AbortSignal) => {
    const prepared = platform.prepare(
      told.map(({ event }) => event),
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
  let told: readonly Composed[] = [];
  let answer: ExportAnswer | undefined;
  const leaving = {
    operation: 'conversion_export',
    profileId,
    workspaceId: workspaceId ?? '',
    actor: { kind: 'connection', id: connectionId },
    people,
    requestId: `export_${connectionId}`,
    now: now(),
    recheck: async (tx: Tx) => {
      await enter(tx, { profileId });
      if (await isHealthcareProfile(tx, profileId)) refuse('forbidden', 'The privacy of the profile changed.');
      told = await withPeople(tx, profileId, events);
    },
  };
  await leaveWithPeople(gate, leaving, async (cut) => {
    answer = await send(told, cut);
  });
  if (!answer)
    throw new ProviderFault({ verdict: 'wait', code: 'cut', says: 'It took too long.', mayHaveHappened: true });
  return answer;
}
