import type { AnswerOf, Routes } from '@tributary/contract';
import { type ProfileContext, refuse } from '@tributary/operations';
import type { Tx } from '@tributary/postgres';
import { pairKey } from '@tributary/rules';
import type { MatchDecision } from '@tributary/vocabulary';
import { deleteDecision, findContradicted, saveDecisions, toActor } from './decisions.ts';
import { findMatch, type ListedMatch } from './match-list.ts';
import { toMatchResponses } from './match-response.ts';

type Change = AnswerOf<Routes['confirmSaleMatch']>['body']['data'];

/** Stores a member's decision on a match; null removes the decision. */
export async function decide(id: string, decision: MatchDecision | null, context: ProfileContext) {
  const { caller, effect, now, addToAudit } = context;
  const { profileId } = caller;
  return effect(async (tx): Promise<{ status: 200; body: { data: Change } }> => {
    const before = (await findMatch(tx, profileId, id)) ?? refuseUnknown();
    const isChange = (before.decision?.decision ?? null) !== decision;
    if (isChange) {
      if (decision === 'confirmed') await refuseContradiction(tx, profileId, before);
      if (decision === null) await deleteDecision(tx, profileId, before);
      else await saveDecisions(tx, profileId, [before], { ...toActor(context), decision, at: now, batchId: null });
      addToAudit({ detail: { first: before.first, second: before.second, before: before.decision?.decision ?? null } });
    }
    const after = isChange ? await findMatch(tx, profileId, id) : before;
    const [match] = after ? await toMatchResponses(tx, profileId, [after]) : [];
    const data: Change = {
      id,
      outcome: isChange ? 'applied' : 'no_change',
      match: match ?? refuseUnknown(),
      undo: isChange ? buildUndo(id, before) : null,
    };
    return { status: 200, body: { data } };
  });
}

async function refuseContradiction(tx: Tx, profileId: string, { first, second }: ListedMatch): Promise<void> {
  const contradicted = await findContradicted(tx, profileId, [{ first, second }]);
  if (contradicted.has(pairKey(first, second)))
    refuse(
      'invalid_state',
      'Other confirmed matches put another record of the same source, or a rejected one, into this sale. Undo those first.',
    );
}

const buildUndo = (id: string, { decision }: ListedMatch): Change['undo'] => {
  const action = decision === null ? 'undo' : decision.decision === 'confirmed' ? 'confirm' : 'reject';
  return { method: 'POST', path: `/api/v1/sale-matches/${id}/${action}`, body: null };
};

const refuseUnknown = (): never => refuse('not_found', 'There is no such match in this profile.');
