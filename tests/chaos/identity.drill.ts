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
  faultsOf,
  groupsOfBatch,
  type History,
  histories,
  historiesOf,
  type Kept,
  outcomeName,
  peopleKept,
  peopleSaid,
  replay,
  settledHistories,
} from './identity-histories.ts';
import { eraseAmongShared } from './shared-identifiers.ts';

const sizes = {
  small: { histories: 2_000, inLedger: 4, races: 8, sharing: 4 },
  full: { histories: 100_000, inLedger: 200, races: 200, sharing: 200 },
} as const;
const writers = 16;
/** Orders of arrival that each history without conflicts is taken in, besides its own. */
const orders = 6;

/**
 * Random histories of messages about few identifiers. All are taken in memory, by the code that also serves requests, and those
 * without two national ids or keys of one customer in several orders; some go to the ledger one message at a time, and somebody of them is
 * erased; and some by sixteen writers at once. Then families, clinics, schools and offices share emails and phones, and one key of each is erased.
 */
export const drill: Drill = {
  name: 'identity',
  promise:
    'Nobody is lost, doubled, wrongly joined or erased with another, whatever is said of whom in whatever order and by how many at once.',

  async run({ size, progress }) {
    const { histories: count, inLedger, races, sharing } = sizes[size];
    const seed = Number(process.env.FAST_CHECK_SEED ?? Math.floor(Math.random() * 2 ** 31));
    const steps = count + inLedger + races + sharing;
    const faults: string[] = [];
    const memory = inMemory(count, seed, (done) => progress(done, steps, 'in memory'));
    faults.push(...memory.faults);

    const engines = await openDrillEngines('drill-identity', ['postgres']);
    const app = createPostgres({ url: engines.database.appUrl, poolSize: writers });
    try {
      let erased = 0;
      for (const [index, history] of fc.sample(histories, { numRuns: inLedger, seed }).entries()) {
        const { profileId, kept } = await oneWriter(app, history, naturalOrder(history));
        erased += await eraseOne(app, profileId, history, kept, faults);
        faults.push(...faultsOf(history, kept.groups), ...differences('the ledger', kept, replay(history).kept()));
        progress(count + index + 1, steps, 'in the ledger');
      }
      let waited = 0;
      for (const [index, history] of fc.sample(historiesOf(writers), { numRuns: races, seed }).entries()) {
        const { kept, order } = await manyWriters(app, history);
        if (order.some((place, turn) => place !== turn)) waited += 1;
        const { kept: alone } = await oneWriter(app, history, order);
        faults.push(
          ...faultsOf(history, kept.groups),
          ...differences('sixteen writers', kept, alone),
          ...differences('one writer', alone, replay(history, order).kept()),
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
          waited > 0 &&
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
        races_out_of_order: waited,
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

const naturalOrder = (history: History) => history.map((_, place) => place);

/** Each history as it comes, as a batch, and, where nobody has two national ids, in other orders. */
function inMemory(count: number, seed: number, progress: (done: number) => void) {
  const totals = { faults: [] as string[], merges: 0, conflicts: 0, orders: 0 };
  let done = 0;
  const one = fc.tuple(histories, settledHistories, fc.infiniteStream(fc.nat()));
  const checked = fc.check(
    fc.property(one, ([history, settled, random]) => {
      const ledger = replay(history);
      const { groups, conflicts } = ledger.kept();
      const faults = [
        ...ledger.faults,
        ...faultsOf(history, groups),
        ...(same(groupsOfBatch(history), groups) ? [] : ['a batch ends otherwise than its messages one by one']),
      ];
      const expected = peopleSaid(settled);
      for (const order of [naturalOrder(settled), ...Array.from({ length: orders }, () => shuffled(settled, random))]) {
        if (!same(peopleKept(settled, replay(settled, order).kept().groups), expected))
          faults.push('another order gives other people');
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
    .map((place) => ({ place, at: random.next().value as number }))
    .sort((a, b) => a.at - b.at)
    .map(({ place }) => place);
}

/** To a profile of its own, one message after another. */
async function oneWriter(app: Postgres, history: History, order: readonly number[]) {
  const { id: profileId } = await buildProfile(app);
  for (const place of order) await write(app, profileId, history, place);
  return { profileId, kept: await keptIn(app, profileId) };
}

/** Erases the holder of the first strong identifier, if there is one. Everybody else must keep all they had, as they had it. */
async function eraseOne(app: Postgres, profileId: string, history: History, kept: Kept, faults: string[]) {
  const selector = history.flat().find(({ kind }) => isStrongKind(kind));
  if (!selector) return 0;
  await app.forProfile(profileId).transaction(async (tx) => {
    const { customers } = await openCustomers(tx, profileId, [selector], testTombstones);
    const customerId = customers[0]?.id ?? '';
    const asked = { profileId, customerId, selector, requestRef: 'drill', reason: 'other', at: new Date() } as const;
    await eraseCustomer(tx, asked, { tombstones: testTombstones, vault: testVault });
  });
  const has = (group: string, name: string) => group.split(' ').includes(name);
  const isTheirs = (group: string) => has(group, identifierKey(selector));
  // What the erased did is held by a customer who is named by nothing.
  const left = (await keptIn(app, profileId)).groups.filter((group) => /(^| )(?!outcome:)/.test(group));
  const theirs = kept.groups.find(isTheirs) ?? '';
  // An address or phone that another customer carries, too, goes to that one.
  const isHandedOver = (name: string) => /^(email|phone|wa_id):/.test(name) && has(theirs, name);
  const before = left.map((group) =>
    group
      .split(' ')
      .filter((name) => !isHandedOver(name))
      .join(' '),
  );
  if (
    !same(
      before.toSorted(),
      kept.groups.filter((group) => !isTheirs(group)),
    )
  )
    faults.push('an erasure reached somebody else');
  // Every strong identifier that went was said to be theirs by way of strong ones.
  const said = peopleSaid(history).find(isTheirs) ?? '';
  const gone = peopleKept(history, kept.groups.filter(isTheirs)).flatMap((group) => group.split(' '));
  if (!gone.every((name) => has(said, name))) faults.push('somebody who shared only a phone was erased');
  return 1;
}

/**
 * All at once. A writer that is done notes its turn before it commits: it holds then whatever it needed, so those that it stood in
 * the way of come after it, and of those that it did not meet the order is all the same.
 */
async function manyWriters(app: Postgres, history: History): Promise<{ kept: Kept; order: number[] }> {
  const { id } = await buildProfile(app);
  let turns = 0;
  const turnOf = new Map<number, number>();
  const note = (place: number) => {
    turns += 1;
    turnOf.set(place, turns);
  };
  await Promise.all(history.map((_, place) => write(app, id, history, place, note)));
  const order = naturalOrder(history).sort((a, b) => (turnOf.get(a) ?? 0) - (turnOf.get(b) ?? 0));
  return { kept: await keptIn(app, id), order };
}

async function write(
  app: Postgres,
  profileId: string,
  history: History,
  place: number,
  note: (place: number) => void = () => {},
): Promise<void> {
  const now = new Date();
  const event: ReadEvent = {
    event: {
      eventName: 'payment_received',
      eventType: 'payment_received',
      idempotencyKey: outcomeName(place),
      occurredAt: now,
      money: { amount: '1', currency: 'USD' },
      subjectRef: null,
    },
    eventKey: 'payment_received',
    eventTypeKey: 'payment_received',
    said: { identifiers: history[place] ?? [] },
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
      note(place);
    }),
  );
}

/** Only what somebody holds who is left: what hangs on a merged customer is missing, and so found lost. */
async function keptIn(app: Postgres, profileId: string): Promise<Kept> {
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

function differences(whose: string, kept: Kept, expected: Kept): string[] {
  return [
    ...(same(kept.groups, expected.groups) ? [] : [`${whose}: other groups`]),
    ...(same(kept.conflicts, expected.conflicts) ? [] : [`${whose}: other conflicts`]),
  ];
}

async function countDeadlocks(app: Postgres): Promise<number> {
  const { rows } = await app.unbound.query(
    sql<{ deadlocks: number }>`SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()`,
  );
  return rows[0]?.deadlocks ?? -1;
}
