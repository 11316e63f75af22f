import { type CustomerServices, type MergeRow, retryUndo, undoMerges } from '@tributary/domain/commerce/customers';
import { countOutcomesOf, countUnnamedSince } from '@tributary/domain/commerce/outcomes';
import { countBrowsers } from '@tributary/domain/traffic/ingestion';
import type { ProfileContext } from '@tributary/operations';
import { rolledBack, type Tx } from '@tributary/postgres';
import type { ActionOutcome } from '@tributary/vocabulary';

export interface UndoneMerges {
  readonly outcome: ActionOutcome;
  readonly customer_profile_id: string;
  readonly separated: string[];
  readonly joined: string[];
  readonly moved: { readonly identifiers: number; readonly browsers: number; readonly outcomes: number };
  readonly undecided: number;
  readonly conversions: number;
}

/**
 * Undoes the merges that `find` returns. A dry run executes the same code and rolls it back, so it returns the same
 * result.
 */
export async function undo(
  isDryRun: boolean,
  reason: string,
  context: ProfileContext & CustomerServices,
  find: (tx: Tx) => Promise<readonly MergeRow[]>,
): Promise<UndoneMerges> {
  const { effect, ledger, mentions, addToAudit } = context;
  const work = async (tx: Tx): Promise<UndoneMerges> => {
    const merges = await find(tx);
    const done = await undoAll(tx, merges, reason, context);
    for (const id of [done.customer_profile_id, ...done.separated, ...done.joined]) mentions(id);
    const { moved, separated } = done;
    addToAudit({
      detail: { merges: merges.map(({ id }) => id), separated: separated.length, moved_outcomes: moved.outcomes },
    });
    return done;
  };
  if (!isDryRun) {
    const { body } = await retryUndo(() => effect(async (tx) => ({ status: 200, body: { data: await work(tx) } })));
    return body.data;
  }
  const done = await retryUndo(() => rolledBack(ledger, work));
  return done.outcome === 'applied' ? { ...done, outcome: 'dry_run' } : done;
}

async function undoAll(
  tx: Tx,
  found: readonly MergeRow[],
  reason: string,
  { caller, now, tombstones }: ProfileContext & CustomerServices,
): Promise<UndoneMerges> {
  const { profileId } = caller;
  const merges = found.filter(({ undoneAt }) => undoneAt === null);
  const [first] = found as readonly [MergeRow];
  if (merges.length === 0) return { ...emptyResult, customer_profile_id: first.survivorId };
  const by = caller.userId ?? caller.credentialId;
  const { survivorId, separatedIds, joinedIds, movedIdentifiers } = await undoMerges(tx, merges, {
    profileId,
    at: now,
    by,
    reason,
    tombstones,
  });
  let browsers = 0;
  for (const id of separatedIds) browsers += await countBrowsers(tx, profileId, id);
  const outcomes = await countOutcomesOf(tx, profileId, separatedIds);
  const since = new Date(Math.min(...merges.map(({ mergedAt }) => mergedAt.getTime())));
  return {
    outcome: 'applied',
    customer_profile_id: survivorId,
    separated: [...separatedIds],
    joined: [...joinedIds],
    moved: { identifiers: movedIdentifiers, browsers, outcomes },
    undecided: await countUnnamedSince(tx, profileId, survivorId, since),
    conversions: outcomes + (await countOutcomesOf(tx, profileId, [survivorId])),
  };
}

const emptyResult = {
  outcome: 'no_change',
  separated: [],
  joined: [],
  moved: { identifiers: 0, browsers: 0, outcomes: 0 },
  undecided: 0,
  conversions: 0,
} as const satisfies Partial<UndoneMerges> & { separated: readonly never[]; joined: readonly never[] };
