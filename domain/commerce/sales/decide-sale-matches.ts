import type { Routes } from '@tributary/contract';
import { listSaleSources } from '@tributary/domain/commerce/outcomes';
import { answer, type Handles, type ProfileContext, refuse } from '@tributary/operations';
import type { Tx } from '@tributary/postgres';
import { pairKey } from '@tributary/rules';
import { limits, type MatchDecision, type MatchEvidence, type MatchState } from '@tributary/vocabulary';
import { v7 as uuid } from 'uuid';
import { findContradicted, saveBatch, saveDecisions, toActor } from './decisions.ts';
import { listPairs } from './match-list.ts';

interface MatchSelection {
  readonly decision: MatchDecision;
  readonly source: string;
  readonly other_source: string;
  readonly state: MatchState;
  readonly evidence?: MatchEvidence | undefined;
  readonly is_certain?: boolean | undefined;
}

/** Decides the undecided matches that fit a filter, up to a limit per request. */
export const decideSaleMatches: Handles<Routes['decideSaleMatches']> = async ({ query, body }, context) => {
  const { caller, ledger, effect, now, addToAudit } = context;
  const { profileId } = caller;
  const { decision } = body;
  if (query.dry_run === 'true') {
    const { pairs, skipped, hasMore } = await ledger.transaction((tx) => findSelected(tx, context, body), {
      readOnly: true,
    });
    const outcome = pairs.length > 0 ? 'dry_run' : 'no_change';
    return answer(200, {
      data: { id: null, outcome, decision, matches: pairs.length, skipped, has_more: hasMore, undo: null },
    });
  }
  return effect(async (tx) => {
    const { pairs, skipped, hasMore } = await findSelected(tx, context, body);
    const counts = { decision, matches: pairs.length, skipped, has_more: hasMore };
    if (pairs.length === 0) return answer(200, { data: { id: null, outcome: 'no_change', ...counts, undo: null } });
    const id = uuid();
    const actor = toActor(context);
    await saveBatch(tx, profileId, { id, decision, matches: pairs.length, ...actor, at: now });
    await saveDecisions(tx, profileId, pairs, { ...actor, decision, at: now, batchId: id });
    const { source, other_source, state, evidence = null, is_certain = null } = body;
    addToAudit({ detail: { decision, source, other_source, state, evidence, is_certain, matches: pairs.length } });
    const undo = { method: 'POST', path: `/api/v1/sale-matches/decisions/${id}/undo`, body: null };
    return answer(200, { data: { id, outcome: 'applied', ...counts, undo } });
  });
};

async function findSelected(tx: Tx, { caller: { profileId } }: ProfileContext, selection: MatchSelection) {
  const { decidedAtOnce } = limits.sales;
  const { source, other_source: otherSource, state, evidence, is_certain: isCertain, decision } = selection;
  const sources = new Set((await listSaleSources(tx, profileId)).map((one) => one.source));
  if (!sources.has(source) || !sources.has(otherSource))
    refuse('not_found', 'There is no such source in this profile.');
  if (source === otherSource) return { pairs: [], skipped: 0, hasMore: false };
  const filter = { states: [state], source, otherSource, evidence, isCertain, isOpen: true };
  const found = await listPairs(tx, profileId, { ...filter, limit: decidedAtOnce + 1 });
  const pairs = found.slice(0, decidedAtOnce);
  const contradicted = decision === 'confirmed' ? await findContradicted(tx, profileId, pairs) : new Set<string>();
  const decided = pairs.filter(({ first, second }) => !contradicted.has(pairKey(first, second)));
  return { pairs: decided, skipped: pairs.length - decided.length, hasMore: found.length > decidedAtOnce };
}
