import { prolongEvents } from '@tributary/domain/events';
import { findWorkspaceOf } from '@tributary/domain/tenants';
import { leaveWithPeople, Refusal, refuse } from '@tributary/operations';
import { enter } from '@tributary/postgres';
import type { Batch } from '@tributary/work';
import { openSecrets, signingAt } from '../secrets.ts';
import type { WebhookStores } from '../services.ts';
import { lockSubscription, updateSubscription } from '../store.ts';
import { type Attempted, faultOf, settledAs, settledBy, verdictOf } from './attempt.ts';
import { isOfPerson, samplePerson, type ToldPerson } from './envelope.ts';
import { outcomeIdOf, readPeople } from './people.ts';
import { type Permission, permissionOf } from './permission.ts';
import { type Ready, type Sender, Sending } from './send-batch.ts';
import { keyOf } from './signature.ts';
import { standingAfter, type Verdict } from './standing.ts';
import { type Item, standingOf, type Turn } from './take-turn.ts';
import { type Settled, saveSettled } from './turn-store.ts';

/** Sends the deliveries of one subscription and keeps what became of each. Those that were not begun stay due. */
export async function deliver(stores: WebhookStores, batch: Batch<Item>): Promise<void> {
  const [first] = batch.items;
  if (!first) return;
  const { turn } = first;
  const { app, outbound, vault, now, random } = stores;
  const { profileId, subscription } = turn;
  const { app_id: appId, id } = subscription;
  const { permission, workspaceId } = await app.forProfile(profileId).transaction(
    async (tx) => ({
      permission: await permissionOf(tx, profileId, appId),
      workspaceId: await findWorkspaceOf(tx, profileId),
    }),
    { readOnly: true },
  );
  const settled: Settled[] = [];
  const verdicts: Verdict[] = [];
  const ready: Ready[] = [];
  for (const { row, event } of batch.items) {
    if (!event) settled.push(settledAs(row, 'failed', 'event_expired', now()));
    else if (!isPermitted(permission, { row, event })) settled.push(settledAs(row, 'withheld', 'not_permitted', now()));
    else ready.push({ row, event });
  }
  const onAttempt = (sent: Ready, attempt: Attempted, at: Date) => {
    verdicts.push(verdictOf(attempt));
    settled.push(settledBy(sent.row, attempt, at, random()));
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
  const sending = ready.length > 0 ? await openOrNote(sender, ready) : undefined;
  if (sending) {
    const sendOutcomes = async () => {
      const outcomes = ready.filter(namesSomebody).sort(bySequence);
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
      const lane = { sending, turn, workspaceId: workspaceId ?? '', customers };
      for (const one of outcomes) if (sending.goesOn) settled.push(...(await sendOutcome(stores, lane, one)));
    };
    // Events that name no customer have lanes of their own: neither kind delays the other.
    const others = sending.sendAll(ready.filter((one) => !namesSomebody(one)));
    const ended = await Promise.allSettled([sendOutcomes(), others]);
    sending.end();
    for (const one of ended) if (one.status === 'rejected') throw one.reason;
  }
  await settle(stores, batch, turn, settled, verdicts);
}

/** A test is made up, whoever it tells of. */
const namesSomebody = ({ row, event }: Ready): boolean => row.sequence !== null && isOfPerson(event.type);

const isPermitted = (permission: Permission, ready: Ready): boolean =>
  namesSomebody(ready) ? permission.outcomes : permission.lifecycle;

/** A target that may not be reached fails all that would go there: none is sent. */
async function openOrNote(sender: Sender, ready: readonly Ready[]): Promise<Sending | undefined> {
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
  readonly turn: Turn;
  readonly workspaceId: string;
  /** The customers of the outcomes of the batch, for the access log. */
  readonly customers: ReadonlyMap<string, string>;
}

const bySequence = (a: Ready, b: Ready): number => Number(BigInt(a.row.sequence ?? 0) - BigInt(b.row.sequence ?? 0));

/**
 * Goes through the personal-data gate: logs the access and re-checks grant, privacy mode and customer under a lock until the request
 * body is sent. Resolves to the delivery as withheld where it may not be sent.
 */
async function sendOutcome(
  { gate, now }: WebhookStores,
  { sending, turn, workspaceId, customers }: OutcomeLane,
  ready: Ready,
): Promise<Settled[]> {
  const { profileId, subscription } = turn;
  const appId = subscription.app_id ?? refuse('forbidden', 'Outcomes are delivered to apps only.');
  const outcomeId = outcomeIdOf(ready.event);
  let told: ToldPerson | undefined;
  const leaving = () => ({
    operation: 'outcome.recorded',
    profileId,
    workspaceId,
    actor: { kind: 'app' as const, id: appId },
    people: customers.has(outcomeId) ? 1 : 0,
    requestId: `webhook_${subscription.id}`,
    now: now(),
    recheck: async (tx: Parameters<typeof permissionOf>[0]) => {
      await enter(tx, { profileId });
      const { outcomes, seesPeople } = await permissionOf(tx, profileId, appId);
      if (!outcomes) refuse('forbidden', 'The grant or the privacy of the profile changed.');
      const people = await readPeople(tx, profileId, [outcomeId], seesPeople);
      told = people.told.get(outcomeId) ?? { customerKey: null, contact: null, isWithheld: !seesPeople };
    },
  });
  try {
    const send = () => sending.sendInOrder(ready, (give) => leaveWithPeople(gate, leaving(), (cut) => give(told, cut)));
    if (!(await send())) await send();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    // An event that was not sent because privacy is being switched stays due.
    if (error.code === 'forbidden') return [settledAs(ready.row, 'withheld', 'not_permitted', now())];
  }
  return [];
}

/** Keeps what became of them, and where the receiver stands. */
async function settle(
  { app, now }: WebhookStores,
  { hold, items }: Batch<Item>,
  { profileId, subscription }: Turn,
  settled: readonly Settled[],
  verdicts: readonly Verdict[],
): Promise<void> {
  const at = now();
  const delivered = new Set(settled.filter(({ status }) => status === 'delivered').map(({ id }) => id));
  const sequences = items.flatMap(({ row }) => (delivered.has(row.id) ? (row.sequence ?? []) : []));
  await app.forProfile(profileId).transaction(async (tx) => {
    await hold(tx);
    await saveSettled(tx, profileId, settled, at);
    await prolongEvents(tx, profileId, sequences, at);
    const row = await lockSubscription(tx, profileId, subscription.id);
    // An address that was changed meanwhile is not to blame for what the one before did.
    if (verdicts.length === 0 || row?.url !== subscription.url || row.status !== 'active') return;
    const { disabled, ...standing } = standingAfter(standingOf(row), verdicts, at);
    await updateSubscription(tx, row, {
      consecutive_failures: standing.consecutiveFailures,
      failing_since: standing.failingSince,
      paused_until: standing.pausedUntil,
      ...(delivered.size > 0 && { last_delivery_at: at }),
      ...(disabled && { status: 'disabled', disabled_reason: disabled, updated_at: at }),
    });
  });
}
