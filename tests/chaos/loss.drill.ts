import { setTimeout as sleep } from 'node:timers/promises';
import { raw } from '@tributary/clickhouse';
import { browserVisit, type Drill } from '@tributary/testkit';
import { v7 as uuid } from 'uuid';
import { openVisitsScene, type VisitsScene } from './visits-scene.ts';

const sizes = {
  small: { visits: 2_000, perSecond: 300, kills: 1, outageSeconds: 2 },
  full: { visits: 300_000, perSecond: 1_000, kills: 20, outageSeconds: 180 },
} as const;
const perRequest = 10;
const targets = ['collector', 'worker', 'nats', 'clickhouse', 'postgres'] as const;
type Target = (typeof targets)[number];

/**
 * Sends visits at a steady rate and retries each request until it is acknowledged. Meanwhile, each process and engine on the path is killed with SIGKILL in
 * turn. Then only ClickHouse is unavailable while sending continues.
 */
export const drill: Drill = {
  name: 'loss',
  promise:
    'Every acknowledged visit counts exactly once or is stored as an invalid visit, no matter which process or engine is killed and when.',
  usesLedgers: true,

  async run({ size, progress, processes }) {
    const { visits, perSecond, kills, outageSeconds } = sizes[size];
    const scene = await openVisitsScene('drill-loss', {}, undefined, processes);
    try {
      const sender = new Sender(scene);
      const killer = new Killer(scene, sender);
      const ticker = setInterval(() => progress(Math.min(sender.acknowledged, visits - 1), visits, killer.note), 500);
      let isKilling = true;
      const sending = sender.send((sent) => sent < visits || isKilling, perSecond);
      for (let kill = 0; kill < kills * targets.length; kill += 1) {
        while (sender.acknowledged < (visits * (kill + 0.5)) / (kills * targets.length + 1)) await sleep(5);
        await killer.kill(targets[kill % targets.length] as Target);
      }
      isKilling = false;
      await sending;
      clearInterval(ticker);
      await scene.drained(180_000);
      const afterKills = await verdict(scene, sender);

      // Only ClickHouse is unavailable, so no request of a browser may fail.
      sender.refused = 0;
      await scene.engines.supervisor.kill('clickhouse');
      await sender.send((sent) => sent < outageSeconds * perSecond, perSecond);
      const refusedInOutage = sender.refused;
      const backlog = await scene.backlog();
      await scene.engines.supervisor.start(['clickhouse']);
      const restartedAt = performance.now();
      await scene.drained(300_000);
      const drainSeconds = Math.round((performance.now() - restartedAt) / 100) / 10;
      const afterOutage = await verdict(scene, sender);
      return {
        passed:
          afterKills.passed && afterOutage.passed && refusedInOutage === 0 && backlog > 0 && killer.leastInFlight > 0,
        sent: sender.good.size + sender.bad,
        acknowledged: sender.acknowledged,
        retried_requests: sender.retries,
        after_kills: afterKills,
        kills: killer.counts,
        least_in_flight_at_kill: killer.leastInFlight,
        outage_seconds: outageSeconds,
        refused_in_outage: refusedInOutage,
        messages_held_in_outage: backlog,
        drain_seconds: drainSeconds,
        after_outage: afterOutage,
      };
    } finally {
      await scene.close();
    }
  },
};

/** Compares the stored visits with the acknowledged ones. */
async function verdict(scene: VisitsScene, sender: Sender) {
  const { visits, distinct, touches, bad, deadLetters } = await scene.counts();
  const missing = new Set(sender.good);
  let unknownVisits = 0;
  for await (const { id } of scene.clickhouse.stream(
    raw<{ id: string }>('SELECT visit_id AS id FROM visits FINAL'),
    {},
  ))
    if (!missing.delete(id)) unknownVisits += 1;
  const lost = missing.size;
  const passed =
    lost === 0 &&
    unknownVisits === 0 &&
    visits === sender.good.size &&
    distinct === visits &&
    touches === sender.touches &&
    bad === sender.bad &&
    deadLetters === 0;
  return { passed, visits, distinct, touches, bad, lost, doubled_or_strange: unknownVisits, dead_letters: deadLetters };
}

/** Sends at a steady rate and retries each unacknowledged request, byte for byte. */
class Sender {
  readonly good = new Set<string>();
  touches = 0;
  bad = 0;
  acknowledged = 0;
  retries = 0;
  refused = 0;
  inFlight = 0;
  readonly #scene: VisitsScene;
  readonly #clients = Array.from({ length: 2_000 }, () => uuid());

  constructor(scene: VisitsScene) {
    this.#scene = scene;
  }

  /** Sends until `shouldContinue` returns false for the number of sent visits. */
  async send(shouldContinue: (sent: number) => boolean, perSecond: number): Promise<void> {
    const startedAt = performance.now();
    const inFlightRequests = new Set<Promise<void>>();
    for (let sent = 0; shouldContinue(sent); sent += perRequest) {
      const dueAt = startedAt + (sent / perSecond) * 1_000;
      const earlyMs = dueAt - performance.now();
      if (earlyMs > 0) await sleep(earlyMs);
      // Browsers do not wait for each other, but after an outage a large backlog would overload the machine.
      while (inFlightRequests.size >= 200) await Promise.race(inFlightRequests);
      const delivery = this.#deliver(this.#makeRequest()).finally(() => inFlightRequests.delete(delivery));
      inFlightRequests.add(delivery);
    }
    await Promise.all(inFlightRequests);
  }

  async #deliver(body: string): Promise<void> {
    for (let attempt = 0; ; attempt += 1) {
      this.inFlight += 1;
      const status = await this.#scene.post(body);
      this.inFlight -= 1;
      if (status === 204) break;
      if (status !== undefined && status < 500 && status !== 429) throw new Error(`The collector returned ${status}.`);
      this.refused += 1;
      this.retries += 1;
      await sleep(Math.min(50 * 2 ** attempt, 1_000) * (0.5 + Math.random()));
    }
    this.acknowledged += perRequest;
  }

  /** One visit in fifty is invalid, a third are touches, some are conversions and some identify the visitor. */
  #makeRequest(): string {
    const client_id = this.#clients[Math.floor(Math.random() * this.#clients.length)] as string;
    const visits = Array.from({ length: perRequest }, (_, index) => {
      const random = Math.random();
      if (random < 0.02) {
        this.bad += 1;
        return { id: uuid(), type: 'no such thing', place: index };
      }
      const is_session_start = random < 0.35;
      const visit = browserVisit(new Date(), {
        is_session_start,
        url: `https://shop.example/p/${Math.floor(random * 1_000)}${is_session_start ? '?utm_source=newsletter&utm_medium=email' : ''}`,
        ...(random > 0.97 && { type: 'track', name: 'lead_created' }),
        ...(random > 0.96 && random <= 0.97 && { type: 'identify', traits: { email: `${client_id}@example.com` } }),
      });
      this.good.add(visit.id as string);
      if (is_session_start) this.touches += 1;
      return visit;
    });
    const { shops } = this.#scene;
    const { key } = shops[Math.floor(Math.random() * shops.length)] as (typeof shops)[number];
    return JSON.stringify({ key, client_id, visits });
  }
}

/** Kills the targets one after the other, each only while it has unfinished work. */
class Killer {
  readonly counts: Record<Target, number> = { collector: 0, worker: 0, nats: 0, clickhouse: 0, postgres: 0 };
  leastInFlight = Number.POSITIVE_INFINITY;
  readonly #scene: VisitsScene;
  readonly #sender: Sender;

  constructor(scene: VisitsScene, sender: Sender) {
    this.#scene = scene;
    this.#sender = sender;
  }

  get note(): string {
    return targets.map((target) => `${target} ${this.counts[target]}`).join(', ');
  }

  async kill(target: Target): Promise<void> {
    const { collectors, workers, engines } = this.#scene;
    await this.#untilBusy(target);
    if (target === 'collector' || target === 'worker') {
      const apps = target === 'collector' ? collectors : workers;
      const app = apps[this.counts[target] % apps.length];
      await app?.kill();
      await app?.start();
    } else {
      const servers = { nats: [engines.supervisor], clickhouse: engines.shards, postgres: engines.ledgers }[target];
      const server = servers[this.counts[target] % servers.length];
      await server?.kill(target);
      await server?.start([target]);
    }
    this.counts[target] += 1;
  }

  /** Waits for unfinished work: open requests for the collector and NATS, unacknowledged messages in the stream for the other targets. */
  async #untilBusy(target: Target): Promise<void> {
    while (true) {
      const inFlight =
        target === 'collector' || target === 'nats'
          ? this.#sender.inFlight
          : await this.#scene.backlog().catch(() => 0);
      if (inFlight > 0) {
        this.leastInFlight = Math.min(this.leastInFlight, inFlight);
        return;
      }
      await sleep(1);
    }
  }
}
