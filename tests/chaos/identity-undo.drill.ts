import { setTimeout as pause } from 'node:timers/promises';
import { createClickHouse, migrate } from '@tributary/clickhouse';
import { eraseCustomer } from '@tributary/domain/privacy/erasures/module.ts';
import type { Postgres } from '@tributary/postgres';
import { buildApiKey, type Drill, openApi, openDrillKit, testTombstones, testVault } from '@tributary/testkit';
import fc from 'fast-check';
import { sql } from 'kysely';
import { inTurn } from './in-turn.ts';
import { type CustomerMessage, type Joined, type Step, type Stores, steps, timeOf, World } from './undone-histories.ts';

const sizes = {
  small: { histories: 100, outcomes: 2_000, writerSeconds: 2 },
  full: { histories: 10_000, outcomes: 50_000, writerSeconds: 60 },
} as const;
const writers = 16;
/** Histories per world, which share no customers; concurrent worlds; concurrent undos per world. */
const historiesPerWorld = 250;
const worldsAtOnce = 2;
const undosAtOnce = 4;
const maxUndoMs = 5_000;

/**
 * Runs random histories of payments that identify customers, merge them, and undo merges. Each history also runs in a second world, where the
 * separated customers may not merge from the start. Both must end equal. Then splits a customer with very many payments, and makes and undoes merges
 * beside sixteen writers. With a seed (FAST_CHECK_SEED), HISTORIES=846 or HISTORIES=0-1999 selects histories.
 */
export const drill: Drill = {
  name: 'identity-undo',
  promise:
    'After a merge is undone, customers and credits are as if the merge had never happened, regardless of messages before, between and after.',

  async run({ size, progress }) {
    const { outcomes, writerSeconds } = sizes[size];
    const seed = Number(process.env.FAST_CHECK_SEED ?? Math.floor(Math.random() * 2 ** 31));
    const kit = await openDrillKit('drill-identity-undo', ['postgres', 'redis', 'clickhouse']);
    const settings = { ...kit.clickhouse, database: 'identity_undo', requestTimeoutMs: 60_000 };
    await migrate(settings);
    const clickhouse = createClickHouse(settings);
    const stores = { app: kit.app, system: kit.system, clickhouse };
    const faults: string[] = [];
    const totals = { merges: 0, undone: 0, between: 0, joined: 0, credited: 0 };
    try {
      const [first = 0, last = first] = process.env.HISTORIES?.split('-').map(Number) ?? [0, sizes[size].histories - 1];
      const chosen = [...fc.sample(steps, { numRuns: last + 1, seed }).entries()].slice(first);
      const parts = Array.from({ length: Math.ceil(chosen.length / historiesPerWorld) }, (_, part) =>
        chosen.slice(part * historiesPerWorld, (part + 1) * historiesPerWorld),
      );
      let done = 0;
      await inTurn(parts, worldsAtOnce, async (part) => {
        faults.push(...(await compareWorlds(stores, part, totals)));
        done += part.length;
        progress(done, chosen.length, `histories, ${faults.length} faults`);
      });
      const large = await undoLarge(stores, outcomes);
      faults.push(...large.faults);
      const beside = await undoBesideWriters(stores, writerSeconds);
      faults.push(...beside.faults);
      const erased = await undoAfterErasure(stores, await openApi(kit, { clickhouse }));
      const deadlocks = await countDeadlocks(kit.app);
      return {
        passed:
          faults.length === 0 &&
          deadlocks === 0 &&
          erased &&
          totals.undone > 0 &&
          totals.credited > 0 &&
          beside.undone > 0 &&
          large.ms <= maxUndoMs,
        histories: chosen.length,
        merges: totals.merges,
        undone: totals.undone,
        messages_between: totals.between,
        joined_by_undoing: totals.joined,
        payments_with_touches: totals.credited,
        outcomes_of_one: outcomes,
        undone_in_ms: large.ms,
        writers,
        undone_beside_writers: beside.undone,
        messages_beside: beside.messages,
        deadlocks,
        erased_is_refused: erased,
        faults: faults.length,
        ...(faults.length > 0 && { first_fault: faults[0] }),
        seed,
      };
    } finally {
      await kit.close();
      await clickhouse.close();
    }
  },
};

type Histories = readonly (readonly [history: number, steps: readonly Step[]])[];
interface Totals {
  merges: number;
  undone: number;
  between: number;
  joined: number;
  credited: number;
}

/** Runs histories with undone merges, and again without those merges. Resolves to the differences. */
async function compareWorlds(stores: Stores, histories: Histories, totals: Totals): Promise<string[]> {
  const [world, without] = [await World.open(stores), await World.open(stores)];
  const length = Math.max(...histories.map(([, history]) => history.length));
  const undone: Joined[] = [];
  const faults: string[] = [];
  for (const each of [world, without]) await each.visitAll(histories.map(([history]) => history));
  for (let index = 0; index < length; index += 1) {
    await sendAll(world, histories, index);
    const result = await undoAll(world, histories, index, totals);
    undone.push(...result.undone);
    faults.push(...result.faults);
  }
  for (let index = 0; index < length; index += 1) {
    await sendAll(without, histories, index);
    const complete = undone.filter(({ one, other }) => Math.max(one.place, other.place) === index);
    for (const { history } of await without.keepApart(complete))
      faults.push(`history ${history}: the other world has no such customers`);
  }
  const [actual, expected] = [await readResults(world), await readResults(without)];
  for (const [history, sequence] of histories) {
    const [a, b] = [JSON.stringify(actual(history)), JSON.stringify(expected(history))];
    if (a !== b) faults.push(`history ${history}: ${a} is not ${b} after ${JSON.stringify(sequence)}`);
  }
  totals.merges += (await world.merges()).length;
  totals.undone += undone.length;
  for (const [history] of histories)
    totals.credited += actual(history).credit.filter(([, touches]) => touches > 0).length;
  return faults;
}

async function readResults(world: World) {
  await world.settle();
  await world.attribute();
  const [people, credit] = [await world.people(), await world.credit()];
  return (history: number) => ({ people: people.get(history), credit: credit.get(history) ?? [] });
}

async function sendAll(world: World, histories: Histories, index: number): Promise<void> {
  const messages = histories.flatMap(([history, sequence]) => {
    const step = sequence[index];
    return step && 'say' in step ? [{ history, said: step.say }] : [];
  });
  if (messages.length === 0) return;
  await world.sayAll(messages, index);
  await world.meet(index);
}

/** Undoes the merges that the histories undo at this step. All conversions of the separated customers, and no others, must be marked. */
async function undoAll(world: World, histories: Histories, index: number, totals: Totals) {
  const undone: Joined[] = [];
  const faults: string[] = [];
  const openMerges = Map.groupBy(
    (await world.merges()).filter(({ undoneAt }) => undoneAt === null),
    ({ history }) => history,
  );
  for (const [history, sequence] of histories) {
    const [step, merges = []] = [sequence[index], openMerges.get(history)];
    const merge = step && 'undo' in step ? merges[step.undo % Math.max(merges.length, 1)] : undefined;
    if (merge) undone.push(merge);
  }
  if (undone.length === 0) return { undone, faults };
  await world.settle();
  // In a third of the steps, the worker has attributed all earlier changes before the undo.
  const isAttributed = index % 3 === 2;
  if (isAttributed) await world.attribute();
  const before = await world.newestMark();
  await inTurn(undone, undosAtOnce, async (merge) => {
    const { survivorId, separatedIds, joinedIds } = await world.undo(merge, timeOf(index));
    totals.joined += joinedIds.length;
    totals.between += Math.round((timeOf(index).getTime() - merge.mergedAt.getTime()) / 86_400_000) - 1;
    const report = (fault: string) => faults.push(`history ${merge.history}: ${fault}`);
    if (separatedIds.length === 0) report('an undone merge did not split the customer in two');
    const people = [survivorId, ...separatedIds];
    const { outcomes, marked, others } = await world.marksSince(before, people, merge, isAttributed);
    // If the undo moves someone to a third customer, only part of that customer's conversions are marked, so the counts differ.
    if (joinedIds.length === 0 && !(outcomes === marked && marked === others))
      report(`${marked} of ${outcomes} conversions are marked, ${others} in all`);
  });
  return { undone, faults };
}

const person = (name: string): CustomerMessage => ({
  // Customers with different keys of the caller are never merged, so people are named by their CRM contact.
  identifiers: [{ kind: 'crm_contact_id', value: name }],
  firstName: undefined,
  browser: undefined,
});
const both: CustomerMessage = { ...person('a'), identifiers: [...person('a').identifiers, ...person('b').identifiers] };

/** Undoes a merge of a customer with very many payments, half of which belong to the other customer. */
async function undoLarge(stores: Stores, outcomes: number) {
  const world = await World.open(stores);
  await world.say(person('a'), 0);
  await world.say(person('b'), 1);
  await world.transaction(async (tx) => {
    await sql`
      INSERT INTO outcomes (profile_id, id, idempotency_key, event_name, event_type, event_key, event_type_key, customer_id, occurred_at,
        recorded_at, updated_at, amount, currency, reporting_amount, reporting_currency, rate, rate_date, is_first_payment, rest,
        named_kind, named_value)
      SELECT o.profile_id, gen_random_uuid(), o.idempotency_key || '-' || n, o.event_name, o.event_type, o.event_key, o.event_type_key, o.customer_id,
        o.occurred_at + n * interval '1 minute', o.recorded_at, o.updated_at, o.amount, o.currency, o.reporting_amount, o.reporting_currency,
        o.rate, o.rate_date, false, o.rest, o.named_kind, o.named_value
      FROM outcomes o, generate_series(1, ${Math.floor(outcomes / 2)}::int) AS n`.execute(tx);
  });
  await world.say(both, 100);
  // A wrong merge is usually noticed after the worker has attributed its changes.
  await world.transaction((tx) => sql`DELETE FROM dirty_conversions`.execute(tx));
  const merge = await onlyMerge(world);
  const before = performance.now();
  const { separatedIds } = await world.undo(merge, timeOf(101));
  const ms = Math.round(performance.now() - before);
  const { rows } = await world.transaction((tx) =>
    sql<{
      theirs: number;
    }>`SELECT count(*)::int AS theirs FROM outcomes WHERE customer_id = ${separatedIds[0]}`.execute(tx),
  );
  const isWhole = rows[0]?.theirs === Math.floor(outcomes / 2) + 1;
  return { ms, faults: isWhole ? [] : [`${rows[0]?.theirs} payments moved back to the separated customer`] };
}

/** Merges and separates customers while sixteen writers send messages. Each outcome must end with the customer that its message identifies. */
async function undoBesideWriters(stores: Stores, seconds: number) {
  const world = await World.open(stores);
  const until = Date.now() + seconds * 1_000;
  let index = 0;
  let messages = 0;
  const next = () => {
    index += 1;
    return index;
  };
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  await Promise.all(names.map((name) => world.say(person(name), next())));
  const writing = Array.from({ length: writers }, async (_, writer) => {
    while (Date.now() < until) {
      const message = person(names[(writer + messages) % names.length] as string);
      await world.say(
        {
          ...message,
          identifiers: [...message.identifiers, { kind: 'email', value: `${message.identifiers[0]?.value}@x.test` }],
        },
        next(),
      );
      messages += 1;
    }
  });
  let undone = 0;
  while (Date.now() < until) {
    await world.transaction((tx) =>
      sql`WITH deleted AS (DELETE FROM said_together) DELETE FROM kept_apart`.execute(tx),
    );
    const [one, other] = [names[undone % 6], names[(undone + 1) % 6]] as [string, string];
    await world.say(
      { ...person(one), identifiers: [...person(one).identifiers, ...person(other).identifiers] },
      next(),
    );
    await pause(10);
    for (const id of await world.standing()) {
      await world.undo({ id }, timeOf(next()));
      undone += 1;
    }
  }
  await Promise.all(writing);
  const { rows } = await world.transaction((tx) =>
    sql<{ wrong: number; people: number }>`
      SELECT (SELECT count(*)::int FROM outcomes o JOIN identifiers i ON i.kind = o.named_kind AND i.value = o.named_value
          WHERE i.customer_id <> o.customer_id) AS wrong,
        (SELECT count(DISTINCT customer_id)::int FROM identifiers) AS people`.execute(tx),
  );
  const { wrong = -1, people = -1 } = rows[0] ?? {};
  return {
    undone,
    messages,
    faults:
      wrong === 0 && people === names.length
        ? []
        : [`beside writers ${wrong} payments belong to the wrong customer, ${people} customers are left`],
  };
}

async function onlyMerge(world: World): Promise<{ id: string }> {
  const [id = ''] = await world.standing();
  return { id };
}

/** Erases a merged customer. The merge is erased with the customer, so that an undo request must return 404. */
async function undoAfterErasure(stores: Stores, api: Awaited<ReturnType<typeof openApi>>): Promise<boolean> {
  const world = await World.open(stores);
  const { profileId } = world;
  await world.say(person('a'), 0);
  await world.say(person('b'), 1);
  await world.say(both, 2);
  const { id } = await onlyMerge(world);
  await world.transaction(async (tx) => {
    const { rows } = await sql<{ id: string }>`SELECT id FROM customers WHERE merged_into IS NULL`.execute(tx);
    const [selector] = both.identifiers;
    const erasure = {
      profileId,
      customerId: rows[0]?.id,
      selector,
      requestRef: 'drill',
      reason: 'other',
      at: new Date(),
    };
    await eraseCustomer(tx, erasure as never, { tombstones: testTombstones, vault: testVault });
  });
  const key = await buildApiKey(stores.app, profileId, { scopes: ['attribution:write', 'customers:read'] });
  const response = await api.call({
    method: 'POST',
    url: `/api/v1/merges/${id}/undo`,
    headers: { ...key.headers, 'idempotency-key': 'undo-of-erased' },
    payload: { reason: 'drill' },
  });
  await api.close();
  return id !== '' && response.statusCode === 404 && (await world.standing()).length === 0;
}

async function countDeadlocks(app: Postgres): Promise<number> {
  const { rows } = await app.unbound.query(
    sql<{ deadlocks: number }>`SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()`,
  );
  return rows[0]?.deadlocks ?? -1;
}
