import { setTimeout as sleep } from 'node:timers/promises';
import { raw } from '@tributary/clickhouse';
import { browserVisit, type Drill, median, p95 } from '@tributary/testkit';
import { sql } from 'kysely';
import { Agent, request } from 'undici';
import { v7 as uuid } from 'uuid';
import { pipelined, slowReaders } from './neighbours-api-loads.ts';
import { type HostileLoad, hostileLoads } from './neighbours-loads.ts';
import { openNeighbours, type Scene } from './neighbours-scene.ts';

/**
 * `maxSlowdown`: the highest allowed ratio of p95 response times under load and without load, over all kinds of requests. The small size runs
 * in parallel with other drills and measures only for a second, so it only checks for errors and lost data.
 */
const sizes = {
  small: { rounds: 1, seconds: 1, maxSlowdown: 1_000 },
  full: { rounds: 4, seconds: 12, maxSlowdown: 2 },
} as const;
/** Interval between requests of the neighbour. */
const intervalMs = 50;

/** The neighbour's requests in order. Each kind is measured separately. */
const works = ['read', 'write', 'visit', 'search', 'report', 'visit', 'read', 'write', 'search', 'visit'] as const;
type WorkKind = (typeof works)[number];

/** One tenant or anonymous client sends hostile load, one load at a time, while another tenant works normally. */
export const drill: Drill = {
  name: 'neighbours',
  promise:
    'Under hostile load from one tenant or anonymous clients, p95 response times of another tenant at most double, none of its requests fails and none of its data is lost.',

  async run({ size, progress }) {
    const { rounds, seconds, maxSlowdown } = sizes[size];
    const scene = await openNeighbours();
    try {
      const kinds = Object.keys(hostileLoads) as HostileLoad[];
      const waits = new Map<HostileLoad, Record<WorkKind, number[]>>();
      const counts: Partial<Record<HostileLoad, Record<string, number>>> = {};
      const neighbour = new Neighbour(scene);
      // Warms up JIT and caches before the measurement.
      await neighbour.work(performance.now() + (seconds * 1_000) / 2);
      let done = 0;
      for (let round = 0; round < rounds; round += 1) {
        for (const load of kinds) {
          const forMs = seconds * 1_000;
          const running = scene.runLoad(load, forMs);
          const took = await neighbour.work(performance.now() + forMs);
          const of = waits.get(load) ?? { read: [], write: [], visit: [], search: [], report: [] };
          waits.set(load, of);
          for (const kind of Object.keys(of) as WorkKind[]) of[kind].push(p95(took[kind]));
          const sums = counts[load] ?? {};
          counts[load] = sums;
          for (const [name, count] of Object.entries(await running)) sums[name] = (sums[name] ?? 0) + count;
          done += 1;
          progress(done, rounds * kinds.length, `${load}: ${Math.round(Math.max(...Object.values(took).map(p95)))} ms`);
          // Lets the effects of this load end before the next one.
          await sleep(size === 'full' ? 2_000 : 0);
        }
      }
      const quiet = mediansOf(waits.get('quiet'));
      const slower = kinds.slice(1).map((load) => {
        const underLoad = mediansOf(waits.get(load));
        const times = (Object.keys(quiet) as WorkKind[]).map(
          (kind) => [kind, round2(underLoad[kind] / quiet[kind])] as const,
        );
        const [kind, most] = times.toSorted(([, one], [, other]) => other - one)[0] ?? ['read', 0];
        return [load, { kind, times: most, p95_ms: round2(underLoad[kind]) }] as const;
      });
      const lost = await neighbour.countLost();
      return {
        passed:
          slower.every(([, { times }]) => times <= maxSlowdown) &&
          neighbour.errors === 0 &&
          lost.payments === 0 &&
          lost.visits === 0 &&
          hasLoads(counts),
        hostile: slower.length,
        times_slower: Object.fromEntries(slower.map(([load, { times, kind }]) => [`${load} (${kind})`, times])),
        quiet_p95_ms: Object.fromEntries(Object.entries(quiet).map(([kind, ms]) => [kind, round2(ms)])),
        neighbour: { requests: neighbour.requests, errors: neighbour.errors, lost },
        responses_to_loads: counts,
        pipelined_requests: pipelined,
        slow_readers: slowReaders,
        rounds,
      };
    } finally {
      await scene.close();
    }
  },
};

/** Whether each load sent requests; otherwise the run proves nothing. */
const hasLoads = (counts: Partial<Record<HostileLoad, Readonly<Record<string, number>>>>): boolean =>
  Object.entries(counts).every(
    ([load, of]) => load === 'quiet' || Object.values(of).reduce((sum, count) => sum + count, 0) > 0,
  );

const mediansOf = (of: Readonly<Record<WorkKind, readonly number[]>> | undefined): Record<WorkKind, number> =>
  Object.fromEntries(Object.entries(of ?? {}).map(([kind, values]) => [kind, median([...values])])) as Record<
    WorkKind,
    number
  >;

/** A tenant with normal load: reads, searches, reports, payments and visits. */
class Neighbour {
  requests = 0;
  errors = 0;
  readonly #scene: Scene;
  readonly #payments: string[] = [];
  readonly #visits: string[] = [];

  constructor(scene: Scene) {
    this.#scene = scene;
  }

  async work(until: number): Promise<Record<WorkKind, number[]>> {
    const agent = new Agent({ connections: 256, pipelining: 1 });
    const requests: Promise<void>[] = [];
    const took: Record<WorkKind, number[]> = { read: [], write: [], visit: [], search: [], report: [] };
    for (let n = 0; performance.now() < until; n += 1) {
      const kind = works[n % works.length] as WorkKind;
      const startedAt = performance.now();
      this.requests += 1;
      requests.push(
        this.#send(kind, agent)
          .catch(() => false)
          .then((isOk) => {
            if (!isOk) this.errors += 1;
            took[kind].push(performance.now() - startedAt);
          }),
      );
      await sleep(intervalMs);
    }
    await Promise.all(requests);
    await agent.close();
    return took;
  }

  /** Resolves to whether the response had the expected status. */
  async #send(kind: WorkKind, dispatcher: Agent): Promise<boolean> {
    const { apiPort, collectorPort, neighbour } = this.#scene;
    const get = (path: string) =>
      request(`http://127.0.0.1:${apiPort}/api/v1${path}`, { headers: neighbour.headers, dispatcher }).then(
        async ({ statusCode, body }) => {
          await body.dump();
          return statusCode === 200;
        },
      );
    const post = (url: string, headers: Readonly<Record<string, string>>, sent: object) =>
      request(url, { method: 'POST', headers, body: JSON.stringify(sent), dispatcher }).then(
        async ({ statusCode, body }) => {
          await body.dump();
          return statusCode < 300;
        },
      );
    switch (kind) {
      case 'read':
        return get('/profile');
      case 'search':
        return get('/customers/search?q=an');
      case 'report':
        return get(`/campaigns?${month()}`);
      case 'write': {
        const idempotency_key = uuid();
        const event = {
          event_name: 'payment_received',
          idempotency_key,
          properties: { value: '1.00', currency: 'USD' },
          user_traits: { email: `ana${this.#payments.length % 30}@example.com` },
        };
        const headers = { ...neighbour.headers, 'content-type': 'application/json' };
        const isAccepted = await post(`http://127.0.0.1:${apiPort}/api/v1/events`, headers, event);
        if (isAccepted) this.#payments.push(idempotency_key);
        return isAccepted;
      }
      case 'visit': {
        const visit = browserVisit(new Date());
        const headers = {
          'content-type': 'text/plain',
          origin: 'https://shop.example',
          'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
          'x-forwarded-for': `192.0.2.${this.#visits.length % 250}`,
        };
        const sent = { key: neighbour.key, client_id: uuid(), visits: [visit] };
        const isAccepted = await post(`http://127.0.0.1:${collectorPort}/v1/visits`, headers, sent);
        if (isAccepted) this.#visits.push(String(visit.id));
        return isAccepted;
      }
    }
  }

  /** Accepted data that is missing after all queues have drained. */
  async countLost(): Promise<{ payments: number; visits: number }> {
    const { neighbour, postgres, clickhouse, drained } = this.#scene;
    await drained(300_000);
    const { rows } = await postgres.forProfile(neighbour.profileId).transaction((tx) =>
      sql<{
        found: number;
      }>`SELECT count(*)::int AS found FROM outcomes WHERE idempotency_key = ANY (${this.#payments}::text[])`.execute(
        tx,
      ),
    );
    const [visits] = await clickhouse.query(
      raw<{ found: string }>(
        `SELECT uniqExact(visit_id) AS found FROM visits WHERE profile_id = '${neighbour.profileId}'`,
      ),
      {},
    );
    return {
      payments: this.#payments.length - Number(rows[0]?.found),
      visits: this.#visits.length - Number(visits?.found),
    };
  }
}

const month = (): string => {
  const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
  return `date_from=${day(29)}&date_to=${day(0)}`;
};

const round2 = (value: number) => Math.round(value * 100) / 100;
