import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ClickHouse, createClickHouse, migrate, type Observation, raw } from '@tributary/clickhouse';
import { attribution } from '@tributary/domain/attribution/room.ts';
import type { Postgres, Tx } from '@tributary/postgres';
import { type Bench, buildProfile, median, openDrillKit, p95 } from '@tributary/testkit';
import { startQueueWorker } from '@tributary/work';
import { sql } from 'kysely';
import { cpuSeconds } from './cpu.ts';

const profileCount = Number(process.env.BENCH_PROFILES ?? 1_000);
const trickleMs = Number(process.env.BENCH_SECONDS ?? 60) * 1_000;
const everyMs = 5_000;
const set = 'bench-trickle';
const rounds = 5;
/** Profiles of one batch, and how many are worked out one by one beside it: each of those takes as long as all together. */
const togetherCount = Math.min(400, profileCount);
const aloneCount = Math.min(10, profileCount);
const customers = 4;
const touchesPerBrowser = 10;
/** Looked for this often, which the latencies include. */
const lookMs = 100;

/** Many profiles with a change now and then, as a hosted service has them. */
export const bench: Bench = {
  name: 'trickle',
  question: 'How many profiles a second does a worker attribute many together, to one by one?',
  better: 'higher',

  async run({ progress }) {
    const kit = await openDrillKit(set, ['postgres', 'clickhouse']);
    const seen: Observation[] = [];
    const settings = { url: kit.clickhouseUrl, database: kit.clickhouseDatabase, requestTimeoutMs: 60_000 };
    await migrate(settings);
    const clickhouse = createClickHouse({ ...settings, observe: (observation) => seen.push(observation) });
    try {
      const payments = await fill(kit.app, clickhouse, progress);
      const shops = new Shops(kit.app, kit.system, clickhouse, payments);
      const rates = await compareWays(shops, progress);
      const rows = await compareRows(shops, clickhouse);
      seen.length = 0;
      const { latencies, changes } = await trickle(shops, kit, clickhouse, progress);
      const batches = seen.filter(({ statement }) => statement === 'attribution_attribute').length;
      return {
        ratio: Math.round((rates.together / rates.alone) * 10) / 10,
        ratio_cpu: Math.round((rates.cpuAlone / rates.cpuTogether) * 10) / 10,
        cpu_ms_a_profile: {
          together: Math.round(rates.cpuTogether * 1e5) / 100,
          alone: Math.round(rates.cpuAlone * 1e4) / 10,
        },
        profiles_per_second_together: Math.round(rates.together),
        profiles_per_second_alone: Math.round(rates.alone * 10) / 10,
        credited_ms: {
          p50: Math.round(median(latencies)),
          p95: Math.round(p95(latencies)),
          slowest: Math.round(Math.max(...latencies)),
        },
        changes,
        batches,
        rows_compared: rows,
        profiles: profileCount,
        every_seconds: everyMs / 1_000,
        profiles_together: togetherCount,
        rounds,
      };
    } finally {
      await clickhouse.close();
      await kit.close();
    }
  },
};

type Progress = (done: number, total: number, note: string) => void;

/** By profile, the ids of its payments. Each is of a customer with two browsers. */
async function fill(
  app: Postgres,
  clickhouse: ClickHouse,
  progress: Progress,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const payments = new Map<string, string[]>();
  while (payments.size < profileCount) {
    const some = Math.min(50, profileCount - payments.size);
    const lines: string[] = [];
    for (let n = 0; n < some; n += 1) {
      const { id: profileId } = await buildProfile(app);
      const people = Array.from({ length: customers }, () => ({
        id: randomUUID(),
        payment: randomUUID(),
        browsers: [randomUUID(), randomUUID()],
      }));
      await fillLedger(app, profileId, people);
      payments.set(
        profileId,
        people.map(({ payment }) => payment),
      );
      for (const visitor_id of people.flatMap(({ browsers }) => browsers))
        for (let day = 1; day <= touchesPerBrowser; day += 1)
          lines.push(
            JSON.stringify({
              profile_id: profileId,
              visitor_id,
              occurred_at: `2026-03-${String(day).padStart(2, '0')}T00:00:00.000Z`,
              touch_id: randomUUID(),
              session_id: randomUUID(),
              channel: 'paid_social',
              source: 'facebook',
            }),
          );
    }
    await clickhouse.insertLines('touches', lines.join('\n'));
    progress(payments.size, profileCount, 'profiles');
  }
  return payments;
}

interface Person {
  readonly id: string;
  readonly payment: string;
  readonly browsers: readonly string[];
}

const fillLedger = (app: Postgres, profileId: string, people: readonly Person[]) =>
  app.forProfile(profileId).transaction(async (tx) => {
    const definitionId = randomUUID();
    const ids = people.map(({ id }) => id);
    await sql`INSERT INTO definitions VALUES (${profileId}, ${definitionId}, 'payment', 'Payment', 'payment_received', true, true, 90, true, now(), now())`.execute(
      tx,
    );
    await sql`INSERT INTO definition_events VALUES (${profileId}, 'payment_received', ${definitionId})`.execute(tx);
    await sql`INSERT INTO customers (profile_id, id, sources, terms, first_seen_at, last_seen_at, created_at)
      SELECT ${profileId}, unnest(${ids}::uuid[]), '{}', '{}', now(), now(), now()`.execute(tx);
    for (const { id, browsers } of people)
      await sql`INSERT INTO visitor_links (profile_id, visitor_id, customer_id, source, linked_at)
        SELECT ${profileId}, unnest(${browsers}::uuid[]), ${id}, 'identify', now()`.execute(tx);
    await sql`INSERT INTO outcomes (profile_id, id, idempotency_key, event_name, event_type, event_key, event_type_key, customer_id, occurred_at,
        recorded_at, updated_at, amount, currency, reporting_amount, reporting_currency, rate, rate_date, rest)
      SELECT ${profileId}, p.id, p.id::text, 'payment_received', 'payment_received', 'payment_received', 'payment_received', p.customer_id,
        '2026-03-20T00:00:00Z', now(), now(), 100, 'USD', 100, 'USD', 1, '2026-03-20', '{}'
      FROM unnest(${people.map(({ payment }) => payment)}::uuid[], ${ids}::uuid[]) AS p (id, customer_id)`.execute(tx);
  });

const mark = async (tx: Tx, profileId: string, id: string) => {
  await sql`
    INSERT INTO dirty_conversions (profile_id, outcome_id, causes) VALUES (${profileId}, ${id}, '{amount_changed}')
    ON CONFLICT (profile_id, outcome_id) DO UPDATE SET revision = nextval('dirty_revision')`.execute(tx);
};

class Shops {
  readonly ids: readonly string[];
  readonly #app: Postgres;
  readonly #system: Postgres;
  readonly #payments: ReadonlyMap<string, readonly string[]>;
  readonly handler: ReturnType<typeof attribution>;

  constructor(
    app: Postgres,
    system: Postgres,
    clickhouse: ClickHouse,
    payments: ReadonlyMap<string, readonly string[]>,
  ) {
    this.#app = app;
    this.#system = system;
    this.#payments = payments;
    this.ids = [...payments.keys()];
    this.handler = attribution({ app, clickhouse, now: () => new Date() });
  }

  /** A payment becomes a cent more, which its transaction marks; resolves to the payment and what it is now, in cents. */
  async change(profileId: string, nth = 0): Promise<{ readonly id: string; readonly cents: number }> {
    const id = this.#payments.get(profileId)?.[nth % customers] ?? '';
    const cents = await this.#app.forProfile(profileId).transaction(async (tx) => {
      const { rows } = await sql<{ cents: string }>`
        UPDATE outcomes SET amount = amount + 0.01, reporting_amount = reporting_amount + 0.01
        WHERE profile_id = ${profileId} AND id = ${id} RETURNING (reporting_amount * 100)::bigint AS cents`.execute(tx);
      await mark(tx, profileId, id);
      return Number(rows[0]?.cents);
    });
    return { id, cents };
  }

  /** Has them worked out again, though nothing changed. */
  async markAll(profileIds: readonly string[]): Promise<void> {
    for (const profileId of profileIds)
      await this.#app
        .forProfile(profileId)
        .transaction((tx) => mark(tx, profileId, this.#payments.get(profileId)?.[0] ?? ''));
  }

  async changeAll(profileIds: readonly string[]): Promise<void> {
    for (const profileId of profileIds) await this.change(profileId);
  }

  /** As the worker would that has leased these profiles. Resolves to the seconds it took. */
  async attribute(profileIds: readonly string[]): Promise<number> {
    const startedAt = performance.now();
    const taken = await this.#system.unbound.transaction((tx) => this.handler.takeAll(tx, profileIds, 5_000));
    const held = new Set(profileIds);
    await this.handler.workAll({
      batches: [...taken].map(([key, one]) => ({ key, ...one })),
      signal: new AbortController().signal,
      settle: (act) => this.#system.unbound.transaction((tx) => act(tx, held)),
    });
    return (performance.now() - startedAt) / 1_000;
  }
}

/** The same batches of one conversion a profile, in one go and profile by profile, in turn. */
async function compareWays(shops: Shops, progress: Progress) {
  const together: number[] = [];
  const alone: number[] = [];
  const cpu = { together: [] as number[], alone: [] as number[] };
  for (let round = 0; round <= rounds; round += 1) {
    const many = shops.ids.slice(0, togetherCount);
    await shops.changeAll(many);
    const before = cpuSeconds(set);
    const rate = many.length / (await shops.attribute(many));
    const between = cpuSeconds(set);
    const few = shops.ids.slice(0, aloneCount);
    await shops.changeAll(few);
    let seconds = 0;
    const after = cpuSeconds(set);
    for (const profileId of few) seconds += await shops.attribute([profileId]);
    cpu.alone.push((cpuSeconds(set) - after) / few.length);
    cpu.together.push((between - before) / many.length);
    progress(round, rounds, 'rounds');
    if (round === 0) continue;
    together.push(rate);
    alone.push(few.length / seconds);
  }
  return {
    together: median(together),
    alone: median(alone),
    cpuTogether: median(cpu.together.slice(1)),
    cpuAlone: median(cpu.alone.slice(1)),
  };
}

/** Worked out either way, a conversion's row must have the same content. Resolves to how many were compared. */
async function compareRows(shops: Shops, clickhouse: ClickHouse): Promise<number> {
  const some = shops.ids.slice(0, aloneCount);
  const rows = async () => {
    const found = await clickhouse.query(
      raw<{ conversion_id: string; content_hash: string }>(
        'SELECT conversion_id, content_hash FROM attributed_conversions FINAL WHERE profile_id IN {some:Array(UUID)} ORDER BY conversion_id',
      ),
      { some },
    );
    return found.map(({ conversion_id, content_hash }) => `${conversion_id} ${content_hash}`);
  };
  const work = async (groups: readonly (readonly string[])[]) => {
    await clickhouse.command(raw('TRUNCATE TABLE attributed_conversions'), {});
    for (const group of groups) await shops.attribute(group);
    return rows();
  };
  await shops.changeAll(some);
  const together = await work([some]);
  await shops.markAll(some);
  const alone = await work(some.map((profileId) => [profileId]));
  if (together.length !== some.length || together.join() !== alone.join())
    throw new Error('Conversions worked out together differ from those worked out one by one.');
  return together.length;
}

async function trickle(
  shops: Shops,
  kit: { readonly system: Postgres; readonly database: { readonly systemUrl: string } },
  clickhouse: ClickHouse,
  progress: Progress,
) {
  const worker = startQueueWorker({
    system: kit.system,
    systemUrl: kit.database.systemUrl,
    handlers: { attribution: shops.handler },
    blame: () => 'work',
    onFailure: ({ error }) => console.error(error),
  });
  const waiting = new Map<string, { readonly cents: number; readonly since: number }[]>();
  const latencies: number[] = [];
  const startedAt = performance.now();
  let changes = 0;
  const shop = async (profileId: string) => {
    await sleep(Math.random() * everyMs);
    for (let nth = 0; performance.now() - startedAt < trickleMs; nth += 1) {
      const next = performance.now() + everyMs;
      const { id, cents } = await shops.change(profileId, nth);
      changes += 1;
      waiting.set(id, [...(waiting.get(id) ?? []), { cents, since: performance.now() }]);
      await sleep(Math.max(0, next - performance.now()));
    }
  };
  let isOver = false;
  const watch = async () => {
    // Batches overlap, so some versions come after higher ones: what was new some looks ago is read once more.
    const newest: string[] = [];
    while (!isOver || waiting.size > 0) {
      const rows = await clickhouse.query(
        raw<{ conversion_id: string; value: string; version: string }>(
          'SELECT conversion_id, value, version FROM attributed_conversions WHERE version >= {since:UInt64} ORDER BY version',
        ),
        { since: newest.at(-50) ?? newest[0] ?? '0' },
      );
      const now = performance.now();
      for (const { conversion_id, value } of rows) {
        const left = waiting.get(conversion_id)?.filter(({ cents, since }) => {
          if (cents > Number(value)) return true;
          latencies.push(now - since);
          return false;
        });
        if (left?.length === 0) waiting.delete(conversion_id);
        else if (left) waiting.set(conversion_id, left);
      }
      newest.push(rows.at(-1)?.version ?? newest.at(-1) ?? '0');
      progress(Math.round(now - startedAt), trickleMs, `${latencies.length} of ${changes} credited`);
      if (now - startedAt > trickleMs + 60_000) throw new Error(`${waiting.size} payments were never credited.`);
      await sleep(lookMs);
    }
  };
  const watching = watch();
  await Promise.all(shops.ids.map(shop));
  isOver = true;
  await watching;
  await worker.stop();
  return { latencies, changes };
}
