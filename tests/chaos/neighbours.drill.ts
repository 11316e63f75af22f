import { setTimeout as sleep } from 'node:timers/promises';
import { raw } from '@tributary/clickhouse';
import { browserVisit, type Drill, median, p95 } from '@tributary/testkit';
import { sql } from 'kysely';
import { Agent, request } from 'undici';
import { v7 as uuid } from 'uuid';
import { ahead, slowReaders } from './neighbours-noise.ts';
import { type Noise, noises } from './neighbours-noises.ts';
import { openNeighbours, type Scene } from './neighbours-scene.ts';

/**
 * `mostTimesSlower`: how much longer the neighbour may wait, 19 times of 20, for what it waits for most. The small size runs beside other drills,
 * which the neighbour feels, too, and measures for a second: it shows only that nothing fails or is lost.
 */
const sizes = {
  small: { rounds: 1, seconds: 1, mostTimesSlower: 1_000 },
  full: { rounds: 4, seconds: 12, mostTimesSlower: 2 },
} as const;
/** How often the neighbour asks. */
const askMs = 20;

/** What the neighbour does, in turn: each is measured by itself. */
const works = ['read', 'write', 'visit', 'search', 'report', 'visit', 'read', 'write', 'search', 'visit'] as const;
type WorkKind = (typeof works)[number];

/** One caller does what costs most, in each of several ways; another tenant goes on with its work. */
export const drill: Drill = {
  name: 'neighbours',
  promise:
    'Whatever one tenant or stranger does, another tenant’s requests are answered at most twice as slowly, none fails and nothing it sends is lost.',

  async run({ size, progress }) {
    const { rounds, seconds, mostTimesSlower } = sizes[size];
    const scene = await openNeighbours();
    try {
      const kinds = Object.keys(noises) as Noise[];
      const waits = new Map<Noise, Record<WorkKind, number[]>>();
      const counts: Partial<Record<Noise, Record<string, number>>> = {};
      const honest = new Honest(scene);
      // Whatever is compiled and cached is so before anything is measured.
      await honest.work(performance.now() + (seconds * 1_000) / 2);
      let done = 0;
      for (let round = 0; round < rounds; round += 1) {
        for (const noise of kinds) {
          const forMs = seconds * 1_000;
          const noisy = scene.make(noise, forMs);
          const took = await honest.work(performance.now() + forMs);
          const of = waits.get(noise) ?? { read: [], write: [], visit: [], search: [], report: [] };
          waits.set(noise, of);
          for (const kind of Object.keys(of) as WorkKind[]) of[kind].push(p95(took[kind]));
          const sums = counts[noise] ?? {};
          counts[noise] = sums;
          for (const [name, count] of Object.entries(await noisy)) sums[name] = (sums[name] ?? 0) + count;
          done += 1;
          progress(
            done,
            rounds * kinds.length,
            `${noise}: ${Math.round(Math.max(...Object.values(took).map(p95)))} ms`,
          );
          // What a noise has left behind is not the next one's doing.
          await sleep(size === 'full' ? 2_000 : 0);
        }
      }
      const quiet = mediansOf(waits.get('quiet'));
      const slower = kinds.slice(1).map((noise) => {
        const beside = mediansOf(waits.get(noise));
        const times = (Object.keys(quiet) as WorkKind[]).map(
          (kind) => [kind, round2(beside[kind] / quiet[kind])] as const,
        );
        const [kind, most] = times.toSorted(([, one], [, other]) => other - one)[0] ?? ['read', 0];
        return [noise, { kind, times: most, p95_ms: round2(beside[kind]) }] as const;
      });
      const lost = await honest.countLost();
      return {
        passed:
          slower.every(([, { times }]) => times <= mostTimesSlower) &&
          honest.errors === 0 &&
          lost.payments === 0 &&
          lost.visits === 0 &&
          isMade(counts),
        hostile: slower.length,
        times_slower: Object.fromEntries(slower.map(([noise, { times, kind }]) => [`${noise} (${kind})`, times])),
        quiet_p95_ms: Object.fromEntries(Object.entries(quiet).map(([kind, ms]) => [kind, round2(ms)])),
        neighbour: { requests: honest.requests, errors: honest.errors, lost },
        noise: counts,
        requests_ahead: ahead,
        slow_readers: slowReaders,
        rounds,
      };
    } finally {
      await scene.close();
    }
  },
};

/** A noise that is not made proves nothing. */
const isMade = (counts: Partial<Record<Noise, Readonly<Record<string, number>>>>): boolean =>
  Object.entries(counts).every(
    ([noise, of]) => noise === 'quiet' || Object.values(of).reduce((sum, count) => sum + count, 0) > 0,
  );

const mediansOf = (of: Readonly<Record<WorkKind, readonly number[]>> | undefined): Record<WorkKind, number> =>
  Object.fromEntries(Object.entries(of ?? {}).map(([kind, values]) => [kind, median([...values])])) as Record<
    WorkKind,
    number
  >;

/** The neighbour at its own pace: it reads, searches, reports, records payments, and its visitors come. */
class Honest {
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
    const asking: Promise<void>[] = [];
    const took: Record<WorkKind, number[]> = { read: [], write: [], visit: [], search: [], report: [] };
    for (let n = 0; performance.now() < until; n += 1) {
      const kind = works[n % works.length] as WorkKind;
      const startedAt = performance.now();
      this.requests += 1;
      asking.push(
        this.#ask(kind, agent)
          .catch(() => false)
          .then((isRight) => {
            if (!isRight) this.errors += 1;
            took[kind].push(performance.now() - startedAt);
          }),
      );
      await sleep(askMs);
    }
    await Promise.all(asking);
    await agent.close();
    return took;
  }

  /** Whether it was answered as it should be. */
  async #ask(kind: WorkKind, dispatcher: Agent): Promise<boolean> {
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
        const isTaken = await post(`http://127.0.0.1:${apiPort}/api/v1/events`, headers, event);
        if (isTaken) this.#payments.push(idempotency_key);
        return isTaken;
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
        const isTaken = await post(`http://127.0.0.1:${collectorPort}/v1/visits`, headers, sent);
        if (isTaken) this.#visits.push(String(visit.id));
        return isTaken;
      }
    }
  }

  /** What was taken and is not there once everything has been worked off. */
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
