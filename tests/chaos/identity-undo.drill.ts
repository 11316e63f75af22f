import { setTimeout as pause } from 'node:timers/promises';
import { openCustomers } from '@tributary/domain/customers';
import { eraseCustomer } from '@tributary/domain/erasures/room.ts';
import { createPostgres, type Postgres } from '@tributary/postgres';
import { buildProfile, type Drill, openDrillEngines, testTombstones, testVault } from '@tributary/testkit';
import fc from 'fast-check';
import { sql } from 'kysely';
import { type Joined, type Said, type Step, steps, timeOf, World } from './undone-histories.ts';

const sizes = {
  small: { histories: 30, outcomes: 2_000, writerSeconds: 2 },
  full: { histories: 10_000, outcomes: 50_000, writerSeconds: 60 },
} as const;
const writers = 16;
const atOnce = 4;
const mostMs = 5_000;

/**
 * Random histories of payments that name people, join them, and of merges undone in between. Each is lived twice: once as it came, and once in
 * a world that knew from the start who was to be kept apart. Then somebody with very many payments is taken apart, and merges are
 * made and undone beside sixteen writers.
 */
export const drill: Drill = {
  name: 'identity-undo',
  promise:
    'A merge that was undone never was: whatever was said before, between and after, everybody is who they would be without it.',

  async run({ size, progress }) {
    const { histories, outcomes, writerSeconds } = sizes[size];
    const seed = Number(process.env.FAST_CHECK_SEED ?? Math.floor(Math.random() * 2 ** 31));
    const engines = await openDrillEngines('drill-identity-undo', ['postgres']);
    const app = createPostgres({ url: engines.database.appUrl, poolSize: writers + 2 });
    const faults: string[] = [];
    const totals = { merges: 0, undone: 0, between: 0 };
    try {
      const open = fc.sample(steps, { numRuns: histories, seed }).entries();
      let done = 0;
      await Promise.all(
        Array.from({ length: atOnce }, async () => {
          for (const [index, history] of open) {
            const found = await twice(app, history, totals);
            faults.push(...found.map((fault) => `history ${index}: ${fault}`));
            done += 1;
            progress(done, histories, 'histories');
          }
        }),
      );
      const large = await undoLarge(app, outcomes);
      faults.push(...large.faults);
      const beside = await besideWriters(app, writerSeconds);
      faults.push(...beside.faults);
      const erased = await eraseMerged(app);
      const deadlocks = await countDeadlocks(app);
      return {
        passed:
          faults.length === 0 &&
          deadlocks === 0 &&
          erased &&
          totals.undone > 0 &&
          beside.undone > 0 &&
          large.ms <= mostMs,
        histories,
        merges: totals.merges,
        undone: totals.undone,
        messages_between: totals.between,
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
      await app.close();
      await engines.close();
    }
  },
};

const openWorld = async (app: Postgres) => new World(app, (await buildProfile(app)).id);

/** A history as it came, and as it would have been. Resolves to what differs. */
async function twice(
  app: Postgres,
  history: readonly Step[],
  totals: { merges: number; undone: number; between: number },
) {
  const world = await openWorld(app);
  const faults: string[] = [];
  const undone: Joined[] = [];
  let saidTwice = false;
  for (const [place, step] of history.entries()) {
    if ('say' in step) {
      // What a second message says of two who are one already is not kept: with two merges undone it cannot join them in their place.
      const held = await world.saidOf(step.say.identifiers);
      saidTwice ||= held.some((a) => held.some((b) => a.holder === b.holder && a.saidOf !== b.saidOf));
      await world.say(step.say, place);
      continue;
    }
    const standing = (await world.merges()).filter(({ undoneAt }) => undoneAt === null);
    const merge = standing[step.undo % Math.max(standing.length, 1)];
    if (!merge || (saidTwice && undone.length > 0)) continue;
    faults.push(...(await undoOne(world, merge, place)));
    undone.push(merge);
    totals.between += Math.round((timeOf(place).getTime() - merge.mergedAt.getTime()) / 86_400_000) - 1;
  }
  if (saidTwice && undone.length > 1) return faults;
  totals.merges += (await world.merges()).length;
  totals.undone += undone.length;
  await world.settle();
  const without = await openWorld(app);
  for (const [place, step] of history.entries()) {
    if (!('say' in step)) continue;
    for (const merge of undone.filter(({ mergedAt }) => mergedAt.getTime() === timeOf(place).getTime()))
      if (!(await without.keepApart(merge))) faults.push('the other world knows no such two');
    await without.say(step.say, place);
  }
  await without.settle();
  const [is, wouldBe] = [await world.people(), await without.people()];
  if (JSON.stringify(is) !== JSON.stringify(wouldBe))
    faults.push(`${JSON.stringify(is)} is not ${JSON.stringify(wouldBe)} after ${JSON.stringify(history)}`);
  return faults;
}

/** Both sides are worked out again, and nobody else. */
async function undoOne(world: World, merge: Joined, place: number): Promise<string[]> {
  await world.settle();
  await world.transaction((tx) => sql`DELETE FROM dirty_conversions`.execute(tx));
  const { survivorId, separatedIds } = await world.undo(merge, timeOf(place));
  const { rows } = await world.transaction((tx) =>
    sql<{ outcomes: number; marked: number; others: number }>`
      SELECT count(*)::int AS outcomes, count(d.outcome_id)::int AS marked, (SELECT count(*)::int FROM dirty_conversions) AS others
      FROM outcomes o LEFT JOIN dirty_conversions d ON d.outcome_id = o.id AND d.causes = '{split}' AND d.cause_ref = ${merge.id}
      WHERE o.customer_id = ANY (${[survivorId, ...separatedIds]}::uuid[])`.execute(tx),
  );
  const { outcomes = 0, marked = 0, others = 0 } = rows[0] ?? {};
  if (separatedIds.length !== 1) return ['an undone merge did not make two of one'];
  return outcomes === marked && marked === others
    ? []
    : [`${marked} of ${outcomes} conversions are marked, ${others} in all`];
}

const person = (name: string): Said => ({
  identifiers: [{ kind: 'external_customer_id', value: name }],
  firstName: undefined,
  browser: undefined,
});
const both: Said = { ...person('a'), identifiers: [...person('a').identifiers, ...person('b').identifiers] };

/** Somebody with very many payments, half of them of another. */
async function undoLarge(app: Postgres, outcomes: number) {
  const world = await openWorld(app);
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
  // A wrong merge is found when the worker has long worked out what it changed.
  await world.transaction((tx) => sql`DELETE FROM dirty_conversions`.execute(tx));
  const [merge] = await world.merges();
  const before = performance.now();
  const { separatedIds } = await world.undo(merge as Joined, timeOf(101));
  const ms = Math.round(performance.now() - before);
  const { rows } = await world.transaction((tx) =>
    sql<{
      theirs: number;
    }>`SELECT count(*)::int AS theirs FROM outcomes WHERE customer_id = ${separatedIds[0]}`.execute(tx),
  );
  const isWhole = rows[0]?.theirs === Math.floor(outcomes / 2) + 1;
  return { ms, faults: isWhole ? [] : [`${rows[0]?.theirs} payments went back of somebody with many`] };
}

/** People are joined and taken apart while sixteen writers tell of them. Everything must be with whom its message names. */
async function besideWriters(app: Postgres, seconds: number) {
  const world = await openWorld(app);
  const until = Date.now() + seconds * 1_000;
  let place = 0;
  let messages = 0;
  const next = () => {
    place += 1;
    return place;
  };
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  await Promise.all(names.map((name) => world.say(person(name), next())));
  const writing = Array.from({ length: writers }, async (_, writer) => {
    while (Date.now() < until) {
      const said = person(names[(writer + messages) % names.length] as string);
      await world.say(
        {
          ...said,
          identifiers: [...said.identifiers, { kind: 'email', value: `${said.identifiers[0]?.value}@x.test` }],
        },
        next(),
      );
      messages += 1;
    }
  });
  let undone = 0;
  while (Date.now() < until) {
    await world.transaction((tx) => sql`DELETE FROM kept_apart`.execute(tx));
    const [one, other] = [names[undone % 6], names[(undone + 1) % 6]] as [string, string];
    await world.say(
      { ...person(one), identifiers: [...person(one).identifiers, ...person(other).identifiers] },
      next(),
    );
    await pause(10);
    for (const merge of (await world.merges()).filter(({ undoneAt }) => undoneAt === null)) {
      await world.undo(merge, timeOf(next()));
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
        : [`beside writers ${wrong} payments are with another, ${people} people are left`],
  };
}

/** Who was erased was erased with all whom they were: there is nothing to undo. */
async function eraseMerged(app: Postgres): Promise<boolean> {
  const world = await openWorld(app);
  await world.say(person('a'), 0);
  await world.say(person('b'), 1);
  await world.say(both, 2);
  const [selector] = both.identifiers;
  await world.transaction(async (tx) => {
    const { customers } = await openCustomers(tx, world.profileId, both.identifiers, testTombstones);
    const customerId = customers[0]?.id ?? '';
    const asked = {
      profileId: world.profileId,
      customerId,
      selector,
      requestRef: 'drill',
      reason: 'other',
      at: new Date(),
    };
    await eraseCustomer(tx, asked as never, { tombstones: testTombstones, vault: testVault });
  });
  return (await world.merges()).length === 0;
}

async function countDeadlocks(app: Postgres): Promise<number> {
  const { rows } = await app.unbound.query(
    sql<{ deadlocks: number }>`SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()`,
  );
  return rows[0]?.deadlocks ?? -1;
}
