import { findPayment, type LedgerPayment, untilRecorded } from '@tributary/domain/outcomes';
import { type ProfileContext, refuse } from '@tributary/operations';
import { rolledBack, type Tx } from '@tributary/postgres';
import type { ActionOutcome, PaymentAction } from '@tributary/vocabulary';
import { v7 as uuid } from 'uuid';
import { addEntry } from './refunds-store.ts';
import { type ShownPayment, showPayments } from './show-payment.ts';

export interface Undo {
  readonly method: string;
  readonly path: string;
  readonly body: Record<string, unknown> | null;
}

/** What an action says of a payment: an entry of its own, and how it is taken back. Undefined: all was so already. */
export type Said =
  | {
      readonly action: PaymentAction;
      readonly amount?: string;
      readonly payerId?: string;
      /** What follows from the entry once it is there. */
      readonly settle?: () => Promise<unknown>;
      readonly undo: (before: ShownPayment) => Undo | null;
    }
  | undefined;

export interface Acted {
  readonly id: string;
  readonly outcome: ActionOutcome;
  readonly action_id: string | null;
  readonly before: ShownPayment;
  readonly after: ShownPayment;
  readonly undo: Undo | null;
}

/**
 * Runs a merchant's action on a payment: `apply` does it, under whatever locks it takes, and says what it did. A dry run does all of it
 * and then takes it back, so it says what the action itself would.
 */
export async function act(
  paymentId: string,
  isDryRun: boolean,
  context: ProfileContext,
  apply: (tx: Tx, payment: LedgerPayment) => Promise<Said>,
  said?: string | null,
): Promise<Acted> {
  const { caller, now, requestId, effect, ledger, addToAudit } = context;
  const { profileId } = caller;
  const read = async (tx: Tx) => (await findPayment(tx, profileId, paymentId)) ?? refuseUnknown();
  const work = async (tx: Tx): Promise<Acted> => {
    const found = await read(tx);
    const [before] = (await showPayments(tx, [found], context, said)) as [ShownPayment];
    const done = await apply(tx, found);
    if (!done) return { id: paymentId, outcome: 'no_change', action_id: null, before, after: before, undo: null };
    const actionId = uuid();
    const { action, amount = null, payerId = null } = done;
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
    await done.settle?.();
    const [after] = (await showPayments(tx, [await read(tx)], context, said)) as [ShownPayment];
    addToAudit({ detail: { action, action_id: actionId, ...(amount && { amount, currency: found.currency }) } });
    return { id: paymentId, outcome: 'applied', action_id: actionId, before, after, undo: done.undo(before) };
  };
  if (!isDryRun) {
    const { body } = await untilRecorded(() => effect(async (tx) => ({ status: 200, body: { data: await work(tx) } })));
    return body.data;
  }
  const acted = await untilRecorded(() => rolledBack(ledger, work));
  return { ...acted, outcome: dryOutcome(acted), action_id: null };
}

const dryOutcome = ({ outcome }: Acted): ActionOutcome => (outcome === 'applied' ? 'dry_run' : outcome);

const refuseUnknown = (): never => refuse('not_found', 'There is no such payment in this profile.');
