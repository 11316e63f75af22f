import { findPayment, type LedgerPayment, retryOnConflict } from '@tributary/domain/commerce/outcomes';
import { type ProfileContext, refuse } from '@tributary/operations';
import { rolledBack, type Tx } from '@tributary/postgres';
import type { ActionOutcome, PaymentAction } from '@tributary/vocabulary';
import { v7 as uuid } from 'uuid';
import { type PaymentResponse, toPaymentResponses } from './payment-response.ts';
import { addEntry } from './refunds-store.ts';

export interface Undo {
  readonly method: string;
  readonly path: string;
  readonly body: Record<string, unknown> | null;
}

/**
 * The entry that an action adds to a payment, and the request that reverses it. Undefined if the action changes
 * nothing.
 */
export type EntryToAdd =
  | {
      readonly action: PaymentAction;
      readonly amount?: string;
      readonly payerId?: string;
      /** Runs after the entry is stored. */
      readonly settle?: () => Promise<unknown>;
      readonly undo: (before: PaymentResponse) => Undo | null;
    }
  | undefined;

export interface ActionResult {
  readonly id: string;
  readonly outcome: ActionOutcome;
  readonly action_id: string | null;
  readonly before: PaymentResponse;
  readonly after: PaymentResponse;
  readonly undo: Undo | null;
}

/**
 * Runs a merchant's action on a payment. `apply` takes the locks it needs, makes the change and returns the entry to
 * add. A dry run executes the same code and rolls it back, so it returns the result that the action would have.
 */
export async function act(
  paymentId: string,
  isDryRun: boolean,
  context: ProfileContext,
  apply: (tx: Tx, payment: LedgerPayment) => Promise<EntryToAdd>,
  requestedKey?: string | null,
): Promise<ActionResult> {
  const { caller, now, requestId, effect, ledger, addToAudit } = context;
  const { profileId } = caller;
  const read = async (tx: Tx) => (await findPayment(tx, profileId, paymentId)) ?? refuseUnknown();
  const work = async (tx: Tx): Promise<ActionResult> => {
    const found = await read(tx);
    const [before] = (await toPaymentResponses(tx, [found], context, requestedKey)) as [PaymentResponse];
    const entry = await apply(tx, found);
    if (!entry) return { id: paymentId, outcome: 'no_change', action_id: null, before, after: before, undo: null };
    const actionId = uuid();
    const { action, amount = null, payerId = null } = entry;
    const actor = { actorKind: caller.userId ? 'user' : caller.kind, actorId: caller.userId ?? caller.credentialId };
    const currency = amount === null ? null : found.currency;
    await addEntry(tx, profileId, {
      id: actionId,
      paymentId,
      action,
      amount,
      currency,
      payerId,
      ...actor,
      requestId,
      at: now,
    });
    await entry.settle?.();
    const [after] = (await toPaymentResponses(tx, [await read(tx)], context, requestedKey)) as [PaymentResponse];
    addToAudit({ detail: { action, action_id: actionId, ...(amount && { amount, currency: found.currency }) } });
    return { id: paymentId, outcome: 'applied', action_id: actionId, before, after, undo: entry.undo(before) };
  };
  if (!isDryRun) {
    const { body } = await retryOnConflict(() =>
      effect(async (tx) => ({ status: 200, body: { data: await work(tx) } })),
    );
    return body.data;
  }
  const acted = await retryOnConflict(() => rolledBack(ledger, work));
  return { ...acted, outcome: dryOutcome(acted), action_id: null };
}

const dryOutcome = ({ outcome }: ActionResult): ActionOutcome => (outcome === 'applied' ? 'dry_run' : outcome);

const refuseUnknown = (): never => refuse('not_found', 'There is no such payment in this profile.');
