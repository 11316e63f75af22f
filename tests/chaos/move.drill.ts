import { setTimeout as sleep } from 'node:timers/promises';
import { moveWorkspace, type Postgres } from '@tributary/postgres';
import {
  type BuiltKey,
  buildApiKey,
  buildProfile,
  type Drill,
  farShard,
  ledgerUrls,
  openApi,
  openDrillKit,
  p95,
  paymentEvent,
  type TestApi,
} from '@tributary/testkit';
import { homeShard } from '@tributary/vocabulary';
import { type RawBuilder, sql } from 'kysely';
import { v7 as uuid } from 'uuid';

const sizes = {
  small: { customers: 1_000, outcomes: 5_000, writesPerSecond: 40, settleMs: 1_000 },
  full: { customers: 200_000, outcomes: 1_000_000, writesPerSecond: 200, settleMs: 10_000 },
} as const;
/** The longest time that a write may wait. */
const maxPauseMs = 5_000;
const rowsPerBatch = 50_000;
const writers = 8;

/** Moves a workspace from one PostgreSQL server to another and back, while writes to it and to another workspace continue. */
export const drill: Drill = {
  name: 'move',
  promise:
    'A workspace moves between PostgreSQL servers while it is in use: no acknowledged write is lost or doubled, and no request takes five seconds.',

  async run({ size, progress }) {
    const { customers, outcomes, writesPerSecond, settleMs } = sizes[size];
    const kit = await openDrillKit('drill-move', ['postgres', 'redis'], true);
    const { app, owner } = kit;
    const api = await openApi(kit);
    const admins = ledgerUrls(kit.database.ownerUrl.replace('tributary_owner', 'postgres'));
    const asAdmin = (shard: string) => ({ shard, url: admins.get(shard) as string });
    try {
      const [moved, neighbour] = [await buildProfile(app.home), await buildProfile(app.home)];
      await fill(app, moved.id, customers, outcomes, (done, total) => progress(done, total, 'rows filled'));
      const load = startLoad(api, await buildApiKey(app, moved.id), writesPerSecond);
      const neighbourLoad = startLoad(api, await buildApiKey(app, neighbour.id), Math.ceil(writesPerSecond / 10));
      await sleep(settleMs);
      const quiet = p95(load.takeWaits());
      const moves = [];
      for (const [from, to] of [
        [homeShard, farShard],
        [farShard, homeShard],
      ] as const) {
        const startedAt = performance.now();
        const { rows, pauseMs } = await moveWorkspace({
          workspaceId: moved.workspaceId,
          from: asAdmin(from),
          to: asAdmin(to),
          say: (line) => progress(moves.length, 2, line),
        });
        moves.push({
          from,
          to,
          rows,
          seconds: Math.round((performance.now() - startedAt) / 1_000),
          pause_ms: Math.round(pauseMs),
          longest_wait_ms: Math.round(Math.max(...load.takeWaits())),
          neighbour_longest_wait_ms: Math.round(Math.max(...neighbourLoad.takeWaits())),
        });
        await sleep(settleMs);
      }
      const [sent, sentByNeighbour] = [await load.end(), await neighbourLoad.end()];
      const storedKeys = await keysOf(app, moved.id);
      const counted = await totalOf(app, moved.id);
      const lost = [...sent.accepted].filter((key) => !storedKeys.has(key)).length;
      const leftBehind = await rowsOf(owner.shards.get(farShard) as Postgres, moved.id);
      return {
        passed:
          lost === 0 &&
          sent.refused === 0 &&
          sentByNeighbour.refused === 0 &&
          storedKeys.size === outcomes + sent.accepted.size &&
          counted === storedKeys.size &&
          leftBehind === 0 &&
          moves.every((one) => one.longest_wait_ms < maxPauseMs && one.neighbour_longest_wait_ms < maxPauseMs),
        outcomes,
        writes_a_second: writesPerSecond,
        written_meanwhile: sent.accepted.size,
        refused: sent.refused + sentByNeighbour.refused,
        lost,
        counted_in_totals: counted,
        left_behind: leftBehind,
        p95_before_ms: Math.round(quiet),
        moves,
      };
    } finally {
      await api.close();
      await kit.close();
    }
  },
};

const idOf = (kind: number, n: RawBuilder<unknown>) =>
  sql`(${`0000000${kind}-0000-7000-8000-`}::text || lpad(to_hex(${n}), 12, '0'))::uuid`;

async function fill(
  app: Postgres,
  profileId: string,
  customers: number,
  outcomes: number,
  reportProgress: (done: number, total: number) => void,
): Promise<void> {
  const ledger = app.forProfile(profileId);
  const inBatches = async (count: number, add: (from: number, until: number) => RawBuilder<unknown>[]) => {
    for (let from = 0; from < count; from += rowsPerBatch) {
      const until = Math.min(from + rowsPerBatch, count) - 1;
      await ledger.transaction(async (tx) => {
        for (const statement of add(from, until)) await statement.execute(tx);
      });
      reportProgress(until + 1, count);
    }
  };
  const person = idOf(1, sql`n`);
  await inBatches(customers, (from, until) => [
    sql`
      INSERT INTO customers (profile_id, id, first_name, sources, terms, first_seen_at, last_seen_at, created_at)
      SELECT ${profileId}, ${person}, 'P' || n, '{}', ARRAY['p' || n], now(), now(), now() FROM generate_series(${from}::int, ${until}::int) n`,
    sql`
      INSERT INTO identifiers (profile_id, kind, value, customer_id, source, said_at)
      SELECT ${profileId}, 'email', 'p' || n || '@example.cl', ${person}, 'api', now() FROM generate_series(${from}::int, ${until}::int) n`,
  ]);
  await inBatches(outcomes, (from, until) => [
    sql`
      INSERT INTO outcomes (profile_id, id, idempotency_key, event_name, event_type, event_key, event_type_key, customer_id,
        occurred_at, recorded_at, updated_at, amount, currency, reporting_amount, reporting_currency, rest)
      SELECT ${profileId}, ${idOf(2, sql`n`)}, 'o' || n, 'paid', 'paid', 'paid', 'paid', ${idOf(1, sql`(n % ${customers}::int)`)},
        now() - n * interval '1 second', now(), now(), 10, 'USD', 10, 'USD', '{"note": "x"}'
      FROM generate_series(${from}::int, ${until}::int) n`,
  ]);
}

/** Sends outcomes to the API at a fixed rate until `end` is called. */
function startLoad(api: TestApi, key: BuiltKey, perSecond: number) {
  const accepted = new Set<string>();
  let [waits, refused, isOver, sent] = [[] as number[], 0, false, 0];
  const startedAt = performance.now();
  const write = async () => {
    while (!isOver) {
      const due = startedAt + (sent / perSecond) * 1_000;
      sent += 1;
      await sleep(Math.max(0, due - performance.now()));
      const event = paymentEvent({ customer: `load-${sent % 500}`, key: uuid() });
      const requestedAt = performance.now();
      const { statusCode } = await api.call({
        method: 'POST',
        url: '/api/v1/events',
        headers: { ...key.headers, 'content-type': 'application/json' },
        payload: JSON.stringify(event),
      });
      waits.push(performance.now() - requestedAt);
      if (statusCode === 202) accepted.add(event.idempotency_key);
      else refused += 1;
    }
  };
  const done = Promise.all(Array.from({ length: writers }, write));
  return {
    takeWaits(): number[] {
      const sinceLastCall = waits;
      waits = [];
      return sinceLastCall.length > 0 ? sinceLastCall : [0];
    },
    async end() {
      isOver = true;
      await done;
      return { accepted, refused };
    },
  };
}

const keysOf = async (app: Postgres, profileId: string): Promise<Set<string>> =>
  app.snapshot(profileId, async (snapshot) => {
    const rows = await snapshot.query<{ key: string }>('SELECT idempotency_key AS key FROM outcomes');
    return new Set(rows.map(({ key }) => key));
  });

/** A trigger counts outcomes as they are written. A moved row was counted by the server that first wrote it. */
const totalOf = async (app: Postgres, profileId: string): Promise<number> =>
  app.snapshot(profileId, async (snapshot) => {
    const [row] = await snapshot.query<{ n: number }>('SELECT sum(outcomes)::int AS n FROM outcome_totals');
    return row?.n ?? 0;
  });

async function rowsOf(server: Postgres, profileId: string): Promise<number> {
  const { rows } = await server.unbound.query(
    sql<{ n: number }>`SELECT count(*)::int AS n FROM profiles WHERE id = ${profileId}`,
  );
  return rows[0]?.n ?? 0;
}
