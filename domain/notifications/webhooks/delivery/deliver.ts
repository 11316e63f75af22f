import { prolongEvents } from '@tributary/domain/tenancy/events';
import { findWorkspaceOf } from '@tributary/domain/tenancy/tenants';
import { disclosePersonalData, Refusal, refuse } from '@tributary/operations';
import { switchScope } from '@tributary/postgres';
import type { Batch } from '@tributary/work';
import { openSecrets, signingAt } from '../secrets.ts';
import type { WebhookStores } from '../services.ts';
import { lockSubscription, updateSubscription } from '../store.ts';
import { type AttemptResult, faultOf, resultOf, resultWithoutAttempt, verdictOf } from './attempt.ts';
import { type DeliveryResult, saveResults } from './batch-store.ts';
import { type ClaimedSubscription, type Item, receiverStateOf } from './claim-batch.ts';
import { type EventPerson, isOfPerson, samplePerson } from './envelope.ts';
import { outcomeIdOf, readPeople } from './people.ts';
import { type Permission, permissionOf } from './permission.ts';
import { nextReceiverState, type Verdict } from './receiver-state.ts';
import { type Ready, type Sender, Sending } from './send-batch.ts';
import { keyOf } from './signature.ts';

/** Sends the deliveries of one subscription and stores their results. Deliveries that were not started stay due. */
export async function deliver(stores: WebhookStores, batch: Batch<Item>): Promise<void> {
  const [first] = batch.items;
  if (!first) return;
  const { claimed } = first;
  const { app, outbound, vault, now, random } = stores;
  const { profileId, subscription } = claimed;
  const { app_id: appId, id } = subscription;
  const { permission, workspaceId } = await app.forProfile(profileId).transaction(
    async (tx) => ({
      permission: await permissionOf(tx, profileId, appId),
      workspaceId: await findWorkspaceOf(tx, profileId),
    }),
    { readOnly: true },
  );
  const results: DeliveryResult[] = [];
  const verdicts: Verdict[] = [];
  const ready: Ready[] = [];
  for (const { row, event } of batch.items) {
    if (!event) results.push(resultWithoutAttempt(row, 'failed', 'event_expired', now()));
    else if (!isPermitted(permission, { row, event }))
      results.push(resultWithoutAttempt(row, 'withheld', 'not_permitted', now()));
    else ready.push({ row, event });
  }
  const onAttempt = (sent: Ready, attempt: AttemptResult, at: Date) => {
    verdicts.push(verdictOf(attempt));
    results.push(resultOf(sent.row, attempt, at, random()));
  };
  const secrets = signingAt(openSecrets(vault, { profileId, id }, subscription.secrets), now());
  const sender: Sender = {
    outbound,
    url: subscription.url,
    appId,
    keys: secrets.map(keyOf),
    now,
    signal: batch.signal,
    failures: subscription.consecutive_failures,
    sample: samplePerson(permission.seesPeople),
    onAttempt,
  };
  const sending = ready.length > 0 ? await openOrFail(sender, ready) : undefined;
  if (sending) {
    const sendOutcomes = async () => {
      const outcomes = ready.filter(hasCustomer).sort(bySequence);
      const { customers } = await app.forProfile(profileId).transaction(
        (tx) =>
          readPeople(
            tx,
            profileId,
            outcomes.map(({ event }) => outcomeIdOf(event)),
            permission.seesPeople,
          ),
        { readOnly: true },
      );
      const lane = { sending, claimed, workspaceId: workspaceId ?? '', customers };
      for (const one of outcomes) if (sending.canContinue) results.push(...(await sendOutcome(stores, lane, one)));
    };
    // Events without a customer are sent over separate connections, so that neither kind delays the other.
    const others = sending.sendAll(ready.filter((one) => !hasCustomer(one)));
    const ended = await Promise.allSettled([sendOutcomes(), others]);
    sending.end();
    for (const one of ended) if (one.status === 'rejected') throw one.reason;
  }
  await settle(stores, batch, claimed, results, verdicts);
}

/** A test delivery contains sample data only. */
const hasCustomer = ({ row, event }: Ready): boolean => row.sequence !== null && isOfPerson(event.type);

const isPermitted = (permission: Permission, ready: Ready): boolean =>
  hasCustomer(ready) ? permission.outcomes : permission.lifecycle;

/** If the target may not be reached, all deliveries fail and none is sent. */
async function openOrFail(sender: Sender, ready: readonly Ready[]): Promise<Sending | undefined> {
  const at = sender.now();
  try {
    return await Sending.open(sender);
  } catch (error) {
    const fault = faultOf(error);
    for (const one of ready) sender.onAttempt(one, { fault, ms: 0 }, at);
    return undefined;
  }
}

interface OutcomeLane {
  readonly sending: Sending;
  readonly claimed: ClaimedSubscription;
  readonly workspaceId: string;
  /** The customers of the batch's outcomes, for the access log. */
  readonly customers: ReadonlyMap<string, string>;
}

const bySequence = (a: Ready, b: Ready): number => Number(BigInt(a.row.sequence ?? 0) - BigInt(b.row.sequence ?? 0));

/**
 * Goes through the personal-data gate: logs the access and re-checks grant, privacy mode and customer under a lock until the request body
 * is sent. Returns the delivery as withheld if it may not be sent.
 */
async function sendOutcome(
  { gate, now }: WebhookStores,
  { sending, claimed, workspaceId, customers }: OutcomeLane,
  ready: Ready,
): Promise<DeliveryResult[]> {
  const { profileId, subscription } = claimed;
  const appId = subscription.app_id ?? refuse('forbidden', 'Outcomes are delivered to apps only.');
  const outcomeId = outcomeIdOf(ready.event);
  let person: EventPerson | undefined;
  const access = () => ({
    operation: 'outcome.recorded',
    profileId,
    workspaceId,
    actor: { kind: 'app' as const, id: appId },
    people: customers.has(outcomeId) ? 1 : 0,
    requestId: `webhook_${subscription.id}`,
    now: now(),
    recheck: async (tx: Parameters<typeof permissionOf>[0]) => {
      await switchScope(tx, { profileId });
      const { outcomes, seesPeople } = await permissionOf(tx, profileId, appId);
      if (!outcomes) refuse('forbidden', 'The grant or the privacy of the profile changed.');
      const people = await readPeople(tx, profileId, [outcomeId], seesPeople);
      person = people.byOutcome.get(outcomeId) ?? { customerKey: null, contact: null, isWithheld: !seesPeople };
    },
  });
  try {
    const send = () =>
      sending.sendInOrder(ready, (give) => disclosePersonalData(gate, access(), (cut) => give(person, cut)));
    if (!(await send())) await send();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    // An event that was not sent because the privacy mode is being changed stays due.
    if (error.code === 'forbidden') return [resultWithoutAttempt(ready.row, 'withheld', 'not_permitted', now())];
  }
  return [];
}

/** Stores the results and the state of the receiver. */
async function settle(
  { app, now }: WebhookStores,
  { renewLease, items }: Batch<Item>,
  { profileId, subscription }: ClaimedSubscription,
  results: readonly DeliveryResult[],
  verdicts: readonly Verdict[],
): Promise<void> {
  const at = now();
  const delivered = new Set(results.filter(({ status }) => status === 'delivered').map(({ id }) => id));
  const sequences = items.flatMap(({ row }) => (delivered.has(row.id) ? (row.sequence ?? []) : []));
  await app.forProfile(profileId).transaction(async (tx) => {
    await renewLease(tx);
    await saveResults(tx, profileId, results, at);
    await prolongEvents(tx, profileId, sequences, at);
    const row = await lockSubscription(tx, profileId, subscription.id);
    // Ignore failures recorded against the previous URL.
    if (verdicts.length === 0 || row?.url !== subscription.url || row.status !== 'active') return;
    const { disabled, ...state } = nextReceiverState(receiverStateOf(row), verdicts, at);
    await updateSubscription(tx, row, {
      consecutive_failures: state.consecutiveFailures,
      failing_since: state.failingSince,
      paused_until: state.pausedUntil,
      ...(delivered.size > 0 && { last_delivery_at: at }),
      ...(disabled && { status: 'disabled', disabled_reason: disabled, updated_at: at }),
    });
  });
}
