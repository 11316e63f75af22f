import { type AnswerOf, OutcomeProvider, type Routes } from '@tributary/contract';
import { type LedgerRecord, listSaleRecords } from '@tributary/domain/commerce/outcomes';
import type { Tx } from '@tributary/postgres';
import { moneyText } from '@tributary/rules';
import type { ListedMatch } from './match-list.ts';

export type MatchResponse = AnswerOf<Routes['listSaleMatches']>['body']['data'][number];

export const getProvider = (source: string) =>
  OutcomeProvider.safeParse(source.split(':', 1)[0]).data ?? ('manual' as const);
export const getConnectionId = (source: string): string | null => source.split(':')[1] ?? null;

/**
 * Converts matches to responses with their records. Leaves out a match with a record that is no longer a payment; the
 * next batch of the queue ends it.
 */
export async function toMatchResponses(
  tx: Tx,
  profileId: string,
  matches: readonly ListedMatch[],
): Promise<MatchResponse[]> {
  const ids = new Set(matches.flatMap(({ first, second }) => [first, second]));
  const records = new Map((await listSaleRecords(tx, profileId, [...ids])).map((one) => [one.id, one]));
  return matches.flatMap((match) => {
    const both = [match.first, match.second].flatMap((id) => records.get(id) ?? []);
    const [one, other] = both.toSorted((a, b) => a.at.getTime() - b.at.getTime());
    return one && other ? [toMatchResponse(match, [toRecordResponse(one), toRecordResponse(other)])] : [];
  });
}

const toMatchResponse = (match: ListedMatch, records: MatchResponse['records']): MatchResponse => {
  const { id, state, evidence, reference, apartMs, isCertain, isPending, decision } = match;
  return {
    id,
    state,
    evidence,
    reference,
    seconds_apart: apartMs / 1_000,
    is_certain: isCertain,
    is_pending: isPending,
    records,
    decision: decision && {
      decision: decision.decision,
      actor_kind: decision.actorKind,
      actor_id: decision.actorId,
      decided_at: decision.at.toISOString(),
      batch_id: decision.batchId,
    },
  };
};

const toRecordResponse = (record: LedgerRecord): MatchResponse['records'][0] => ({
  id: record.id,
  provider: getProvider(record.source),
  external_id: record.externalId ?? record.key,
  amount: moneyText(record.amount, record.currency),
  currency: record.currency,
  paid_at: record.at.toISOString(),
  counted: record.uncounted === null,
  not_counted_because: record.uncounted,
  source: record.source,
  connection_id: getConnectionId(record.source),
});
