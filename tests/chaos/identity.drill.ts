import { findAdPlatforms } from '@tributary/domain/advertising/campaigns/module.ts';
import { openCustomers } from '@tributary/domain/commerce/customers';
import { type ReadEvent, recordOutcomes, retryOnConflict } from '@tributary/domain/commerce/outcomes';
import { paymentStandings } from '@tributary/domain/commerce/payments';
import { eraseCustomer } from '@tributary/domain/privacy/erasures/module.ts';
import { visitorLinks } from '@tributary/domain/traffic/ingestion/module.ts';
import { createPostgres, type Postgres } from '@tributary/postgres';
import { identifierKey, isStrongKind } from '@tributary/rules';
import { buildProfile, type Drill, openDrillEngines, testTombstones, testVault } from '@tributary/testkit';
import fc from 'fast-check';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import {
  type CustomerGraph,
  expectedStrongGroups,
  faultsOf,
  groupsOfBatch,
  type History,
  histories,
  historiesOf,
  outcomeName,
  replay,
  settledHistories,
  strongGroupsOf,
} from './identity-histories.ts';
import { eraseAmongShared } from './shared-identifiers.ts';

const sizes = {
  small: { histories: 2_000, inLedger: 4, races: 8, sharing: 4 },
  full: { histories: 100_000, inLedger: 200, races: 200, sharing: 200 },
} as const;
const writers = 16;
/** Number of additional random orders in which each history without conflicts is applied. */
const orders = 6;

/**
 * Applies random histories of messages about few identifiers. All run in memory with the production code; those without conflicts also in several
 * orders. Some run against the ledger with one writer, followed by an erasure, and some with sixteen concurrent writers. Finally, groups of customers
 * share e-mail addresses and phone numbers, and one key of each group is erased.
 */
export const drill: Drill = {
  name: 'identity',
  promise:
    'No customer is lost, duplicated, wrongly merged or erased together with another, for any order of messages and any number of writers.',

  async run({ size, progress }) {
    const { histories: count, inLedger, races, sharing } = sizes[size];
    const seed = Number(process.env.FAST_CHECK_SEED ?? Math.floor(Math.random() * 2 ** 31));
    const steps = count + inLedger + races + sharing;
    const faults: string[] = [];
    const memory = checkInMemory(count, seed, (done) => progress(done, steps, 'in memory'));
    faults.push(...memory.faults);

    const engines = await openDrillEngines('drill-identity', ['postgres']);
    const app = createPostgres({ url: engines.database.appUrl, poolSize: writers });
    try {
      let erased = 0;
      for (const [index, history] of fc.sample(histories, { numRuns: inLedger, seed }).entries()) {
        const { profileId, graph } = await runOneWriter(app, history, naturalOrder(history));
        erased += await eraseOne(app, profileId, history, graph, faults);
        faults.push(...faultsOf(history, graph.groups), ...differences('the ledger', graph, replay(history).graph()));
        progress(count + index + 1, steps, 'in the ledger');
      }
      let reordered = 0;
      for (const [index, history] of fc.sample(historiesOf(writers), { numRuns: races, seed }).entries()) {
        const { graph, order } = await runManyWriters(app, history);
        if (order.some((index, position) => index !== position)) reordered += 1;
        const { graph: sequential } = await runOneWriter(app, history, order);
        faults.push(
          ...faultsOf(history, graph.groups),
          ...differences('sixteen writers', graph, sequential),
          ...differences('one writer', sequential, replay(history, order).graph()),
        );
        progress(count + inLedger + index + 1, steps, 'sixteen writers');
      }
      const shared = await eraseAmongShared(app, { groups: sharing, seed, write, writers }, (done) =>
        progress(count + inLedger + races + done, steps, 'shared emails'),
      );
      faults.push(...shared.faults);
      const deadlocks = await countDeadlocks(app);
      return {
        passed:
          faults.length === 0 &&
          deadlocks === 0 &&
          memory.merges > 0 &&
          memory.conflicts > 0 &&
          reordered > 0 &&
          erased > 0 &&
          shared.erasedKeys > 0 &&
          shared.beyondKey === 0,
        histories: count,
        orders_taken: memory.orders,
        merges: memory.merges,
        conflicts: memory.conflicts,
        histories_in_ledger: inLedger,
        erased,
        races,
        groups_sharing: sharing,
        keys_sharing: shared.keys,
        keys_erased: shared.erasedKeys,
        erased_beyond_key: shared.beyondKey,
        writers,
        races_out_of_order: reordered,
        deadlocks,
        faults: faults.length,
        ...(faults.length > 0 && { first_fault: faults[0] }),
        seed,
      };
    } finally {
      await app.close();
      await engines.close();
    }
  },
};

const naturalOrder = (history: History) => history.map((_, index) => index);

/** Applies each history message by message and as a batch, and each history without conflicts in other orders. */
function checkInMemory(count: number, seed: number, progress: (done: number) => void) {
  const totals = { faults: [] as string[], merges: 0, conflicts: 0, orders: 0 };
  let done = 0;
  const cases = fc.tuple(histories, settledHistories, fc.infiniteStream(fc.nat()));
  const checked = fc.check(
    fc.property(cases, ([history, settled, random]) => {
      const ledger = replay(history);
      const { groups, conflicts } = ledger.graph();
      const faults = [
        ...ledger.faults,
        ...faultsOf(history, groups),
        ...(same(groupsOfBatch(history), groups) ? [] : ['a batch gives other groups than its messages one by one']),
      ];
      const expected = expectedStrongGroups(settled);
      for (const order of [naturalOrder(settled), ...Array.from({ length: orders }, () => shuffled(settled, random))]) {
        if (!same(strongGroupsOf(settled, replay(settled, order).graph().groups), expected))
          faults.push('another order gives other groups');
        totals.orders += 1;
      }
      totals.merges += ledger.merges;
      totals.conflicts += conflicts.length;
      done += 1;
      if (done % 500 === 0) progress(Math.min(done, count));
      if (faults.length > 0) throw new Error(faults[0]);
    }),
    { numRuns: count, seed },
  );
  if (checked.failed)
    totals.faults.push(`${String(checked.errorInstance)} ${fc.stringify(checked.counterexample?.[0]?.slice(0, 2))}`);
  return totals;
}

function shuffled(history: History, random: Iterator<number>): number[] {
  return naturalOrder(history)
    .map((index) => ({ index, at: random.next().value as number }))
    .sort((a, b) => a.at - b.at)
    .map(({ index }) => index);
}

/** Sends the messages sequentially to a new profile. */
async function runOneWriter(app: Postgres, history: History, order: readonly number[]) {
  const { id: profileId } = await buildProfile(app);
  for (const index of order) await write(app, profileId, history, index);
  return { profileId, graph: await readGraph(app, profileId) };
}

/** Erases the customer with the first strong identifier, if there is one. All other customers must stay unchanged. */
async function eraseOne(app: Postgres, profileId: string, history: History, graph: CustomerGraph, faults: string[]) {
  const selector = history.flat().find(({ kind }) => isStrongKind(kind));
  if (!selector) return 0;
  await app.forProfile(profileId).transaction(async (tx) => {
    const { customers } = await openCustomers(tx, profileId, [selector], testTombstones);
    const customerId = customers[0]?.id ?? '';
    const erasure = { profileId, customerId, selector, requestRef: 'drill', reason: 'other', at: new Date() } as const;
    await eraseCustomer(tx, erasure, { tombstones: testTombstones, vault: testVault });
  });
  const has = (group: string, name: string) => group.split(' ').includes(name);
  const isTheirs = (group: string) => has(group, identifierKey(selector));
  // Outcomes of the erased customer belong to a customer without identifiers.
  const remaining = (await readGraph(app, profileId)).groups.filter((group) => /(^| )(?!outcome:)/.test(group));
  const theirs = graph.groups.find(isTheirs) ?? '';
  // An e-mail address or phone number that another customer also has is moved to that customer.
  const isHandedOver = (name: string) => /^(email|phone|wa_id):/.test(name) && has(theirs, name);
  const withoutHandedOver = remaining.map((group) =>
    group
      .split(' ')
      .filter((name) => !isHandedOver(name))
      .join(' '),
  );
  if (
    !same(
      withoutHandedOver.toSorted(),
      graph.groups.filter((group) => !isTheirs(group)),
    )
  )
    faults.push('an erasure changed another customer');
  // Each erased strong identifier was connected to the selector through strong identifiers.
  const expected = expectedStrongGroups(history).find(isTheirs) ?? '';
  const gone = strongGroupsOf(history, graph.groups.filter(isTheirs)).flatMap((group) => group.split(' '));
  if (!gone.every((name) => has(expected, name))) faults.push('a customer who only shared a phone number was erased');
  return 1;
}

/**
 * Sends all messages concurrently and records the order of commits. Each writer records its position just before it commits, while it holds all its
 * locks. Writers that it blocks therefore come later; the order of writers that do not conflict does not matter.
 */
async function runManyWriters(app: Postgres, history: History): Promise<{ graph: CustomerGraph; order: number[] }> {
  const { id } = await buildProfile(app);
  let committed = 0;
  const positions = new Map<number, number>();
  const onCommit = (index: number) => {
    committed += 1;
    positions.set(index, committed);
  };
  await Promise.all(history.map((_, index) => write(app, id, history, index, onCommit)));
  const order = naturalOrder(history).sort((a, b) => (positions.get(a) ?? 0) - (positions.get(b) ?? 0));
  return { graph: await readGraph(app, id), order };
}

async function write(
  app: Postgres,
  profileId: string,
  history: History,
  index: number,
  onCommit: (index: number) => void = () => {},
): Promise<void> {
  const now = new Date();
  const event: ReadEvent = {
    event: {
      eventName: 'payment_received',
      eventType: 'payment_received',
      idempotencyKey: outcomeName(index),
      occurredAt: now,
      money: { amount: '1', currency: 'USD' },
      subjectRef: null,
    },
    eventKey: 'payment_received',
    eventTypeKey: 'payment_received',
    said: { identifiers: history[index] ?? [] },
    rest: {},
    warnings: [],
  };
  const evidence = { source: 'drill', saidAt: now, requestId: `req_${uuid()}` };
  await retryOnConflict(() =>
    app.forProfile(profileId).transaction(async (tx) => {
      await recordOutcomes(tx, [event], {
        profileId,
        now,
        evidence,
        teller: { source: 'api' },
        tombstones: testTombstones,
        payments: paymentStandings,
        findAdPlatforms,
        visitors: visitorLinks,
      });
      onCommit(index);
    }),
  );
}

/** Reads the graph of unmerged customers. Anything that still belongs to a merged customer is missing and reported as lost. */
async function readGraph(app: Postgres, profileId: string): Promise<CustomerGraph> {
  return app.forProfile(profileId).transaction(async (tx) => {
    const { rows } = await sql<{ names: string[] }>`
      SELECT array_agg(h.name) AS names FROM (
        SELECT kind || ':' || value AS name, customer_id FROM identifiers
        UNION ALL SELECT idempotency_key, customer_id FROM outcomes) h
      JOIN customers c ON c.id = h.customer_id AND c.merged_into IS NULL GROUP BY c.id`.execute(tx);
    const { rows: conflicts } = await sql<{ name: string }>`
      SELECT DISTINCT kind || ':' || value AS name FROM identity_conflicts`.execute(tx);
    return {
      groups: rows.map(({ names }) => names.sort().join(' ')).sort(),
      conflicts: conflicts.map(({ name }) => name).sort(),
    };
  });
}

const same = (some: readonly string[], others: readonly string[]) => some.join('\n') === others.join('\n');

function differences(subject: string, graph: CustomerGraph, expected: CustomerGraph): string[] {
  return [
    ...(same(graph.groups, expected.groups) ? [] : [`${subject}: other groups`]),
    ...(same(graph.conflicts, expected.conflicts) ? [] : [`${subject}: other conflicts`]),
  ];
}

async function countDeadlocks(app: Postgres): Promise<number> {
  const { rows } = await app.unbound.query(
    sql<{ deadlocks: number }>`SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()`,
  );
  return rows[0]?.deadlocks ?? -1;
}
