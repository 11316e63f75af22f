import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildProfile, type Drill, freePort } from '@tributary/testkit';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { AppProcess } from './app-process.ts';
import { type Sender, type Sent, WebhookSenders } from './provider-webhooks-senders.ts';
import { openVisitsScene, type VisitsScene } from './visits-scene.ts';

const sizes = {
  small: {
    stores: 6,
    addresses: 2,
    perMinute: 300,
    bytes: 1 << 20,
    beforeSeconds: 4,
    awaySeconds: 10,
    afterSeconds: 4,
  },
  full: {
    stores: 50,
    addresses: 8,
    perMinute: 5_000,
    bytes: 1 << 20,
    beforeSeconds: 60,
    // Allows a shorter outage if disk space or time is limited.
    awaySeconds: Number(process.env.DRILL_AWAY_SECONDS ?? 600),
    afterSeconds: 60,
  },
} as const;
/** Every 20th webhook is sent twice, and every 25th is forged. */
const [twiceEvery, forgedEvery] = [20, 25];

/**
 * Stores send large orders as signed webhooks, some twice and some forged, while PostgreSQL is killed and restarted later. Half of the stores
 * send for the first time during the outage. A 503 is retried.
 */
export const drill: Drill = {
  name: 'provider-webhooks',
  promise:
    'Provider webhooks are accepted while PostgreSQL is unavailable: each signed webhook is recorded exactly once, and no forged one.',

  async run({ size, progress }) {
    const { stores, addresses, perMinute, bytes, beforeSeconds, awaySeconds, afterSeconds } = sizes[size];
    const port = await freePort();
    const scene = await openVisitsScene('drill-provider-webhooks', {
      PROVIDER_WEBHOOKS_PORT: String(port),
      // A small visit stream leaves the NATS disk to the webhooks.
      STREAM_MAX_MEGABYTES: '1024',
      PROVIDER_WEBHOOKS_MAX_MEGABYTES: '8192',
      UNVERIFIED_WEBHOOKS_MAX_MEGABYTES: '2048',
    });
    const receiver = new AppProcess('provider-webhooks', 'provider-webhooks listens', {
      ...scene.environment,
      TRUSTED_PROXIES: '127.0.0.1',
    });
    const senders = new WebhookSenders(`http://127.0.0.1:${port}/hooks/store`, addresses, bytes);
    const watch = watchStreams(scene, receiver);
    try {
      await receiver.start();
      const all = await connectStores(scene, stores);
      const genuine: Sent[] = [];
      const forged: Sent[] = [];
      const total = Math.round(((beforeSeconds + awaySeconds + afterSeconds) * perMinute) / 60);
      const startedAt = performance.now();
      let sentCount = 0;
      const sendFor = async (seconds: number, from: readonly Sender[], note: string) => {
        const until = performance.now() + seconds * 1_000;
        const first = sentCount;
        const startedMs = performance.now();
        while (performance.now() < until) {
          const due = ((performance.now() - startedMs) * perMinute) / 60_000;
          if (sentCount - first >= due) {
            await sleep(5);
            continue;
          }
          const id = 1_000_000 + sentCount;
          const isForged = sentCount % forgedEvery === 7;
          const sent = { sender: from[sentCount % from.length] as Sender, id, isForged };
          (isForged ? forged : genuine).push(sent);
          await senders.send(sent);
          if (sentCount % twiceEvery === 3) await senders.send(sent);
          if (sentCount % 4 === 0) await senders.retry(1);
          sentCount += 1;
          progress(sentCount, total, note);
        }
      };

      await sendFor(
        beforeSeconds,
        all.filter(({ isLate }) => !isLate),
        'PostgreSQL is up',
      );
      await scene.engines.supervisor.kill('postgres');
      await sendFor(awaySeconds, all, 'PostgreSQL is unavailable');
      const [waiting, unverified] = [
        await scene.stream.webhooks.waiting(),
        await scene.stream.unverifiedWebhooks.waiting(),
      ];
      const back = scene.engines.supervisor.start(['postgres']);
      await sendFor(afterSeconds, all, 'PostgreSQL is back');
      await back;
      const sendingMs = performance.now() - startedAt;
      await senders.finish(600_000);
      const drainedFrom = performance.now();
      await untilDrained(scene, (left) => progress(total - left, total, 'being applied'));
      const drainSeconds = (performance.now() - drainedFrom) / 1_000;
      watch.stop();

      const { lost, doubled, forgedRecorded } = await compare(scene, genuine, forged);
      const deadLetters = await scene.stream.deadLetters.count();
      const statuses = Object.fromEntries([...senders.statuses].sort(([a], [b]) => a - b));
      const waits = senders.waits.toSorted((a, b) => a - b);
      const refusedForged = senders.statuses.get(401) ?? 0;
      return {
        passed: lost + doubled + forgedRecorded + deadLetters === 0 && unverified > 0 && refusedForged > 0,
        webhooks: genuine.length,
        sent_twice: Math.floor(sentCount / twiceEvery),
        forged: forged.length,
        lost,
        doubled,
        forged_recorded: forgedRecorded,
        dead_letters: deadLetters,
        away_seconds: awaySeconds,
        a_minute: Math.round((sentCount / sendingMs) * 60_000),
        mebibytes_sent: Math.round(senders.bytes / 1_048_576),
        statuses,
        retried: senders.retried,
        waiting_after_outage: waiting,
        unverified_after_outage: unverified,
        answered_within_ms: {
          p50: Math.round(waits[waits.length >> 1] ?? 0),
          p99: Math.round(waits[Math.floor(waits.length * 0.99)] ?? 0),
        },
        seconds_to_drain: Math.round(drainSeconds),
        peak_stream_megabytes: watch.peak(),
        kilobytes_each: watch.kilobytesEach(),
        peak_memory_megabytes: { 'provider-webhooks': peakOf(receiver.pid), worker: peakOf(scene.worker.pid) },
      };
    } finally {
      watch.stop();
      await Promise.all([receiver.kill(), senders.close()]);
      await scene.close();
    }
  },
};

/** Connects stores manually, each with a separate secret. */
async function connectStores({ postgres, ring }: VisitsScene, count: number): Promise<Sender[]> {
  const vault = ring.envelope();
  const stores: Sender[] = [];
  for (let n = 0; n < count; n += 1) {
    const profile = await buildProfile(postgres.home, { plan: 'scale' });
    const [id, domain, secret] = [uuid(), `store-${n}.myshopify.com`, `secret of ${uuid()}`];
    const location = { table: 'connections', column: 'credentials', row: id, profileId: profile.id };
    const credentials = vault.seal(JSON.stringify({ webhookSecret: secret, accessToken: null }), location);
    await postgres.forProfile(profile.id).transaction((tx) =>
      tx
        .insertInto('connections')
        .values({
          profile_id: profile.id,
          id,
          workspace_id: profile.workspaceId,
          channel: 'store',
          status: 'connected',
          external_id: domain,
          name: domain,
          granted: [],
          details: '{}',
          credentials,
          connected_at: new Date(),
        })
        .execute(),
    );
    stores.push({ profileId: profile.id, domain, secret, isLate: n % 2 === 1 });
  }
  return stores;
}

/** Resolves when the worker has processed all webhooks. */
async function untilDrained({ stream }: VisitsScene, report: (left: number) => void): Promise<void> {
  const deadline = performance.now() + 3_600_000;
  for (;;) {
    const left = (await stream.webhooks.waiting()) + (await stream.unverifiedWebhooks.waiting());
    if (left === 0) return;
    if (performance.now() > deadline) throw new Error(`${left} webhooks are still in the streams.`);
    report(left);
    await sleep(200);
  }
}

/** Compares the ledger with the sent webhooks. */
async function compare({ postgres }: VisitsScene, genuine: readonly Sent[], forged: readonly Sent[]) {
  let [lost, doubled, forgedRecorded] = [0, 0, 0];
  const forgedIds = new Set(forged.map(({ id }) => String(id)));
  for (const [profileId, sent] of Map.groupBy(genuine, ({ sender }) => sender.profileId)) {
    const { rows } = await postgres.forProfile(profileId).transaction((tx) =>
      sql<{ id: string; times: string }>`
        SELECT split_part(idempotency_key, ':', 2) AS id, count(*) AS times FROM outcomes
        WHERE profile_id = ${profileId} GROUP BY 1`.execute(tx),
    );
    const recorded = new Map(rows.map(({ id, times }) => [id, Number(times)]));
    for (const { id } of sent) if (!recorded.has(String(id))) lost += 1;
    for (const times of recorded.values()) if (times > 1) doubled += 1;
    for (const id of recorded.keys()) if (forgedIds.has(id)) forgedRecorded += 1;
  }
  return { lost, doubled, forgedRecorded };
}

/** Samples the disk usage of the streams once a second. */
function watchStreams({ stream }: VisitsScene, receiver: AppProcess) {
  const peak = { webhooks: 0, unverified: 0 };
  let each = 0;
  const timer = setInterval(async () => {
    if (!receiver.lines.some((line) => line.includes('listens'))) return;
    try {
      const [verified, unverified] = [await stream.webhooks.fill(), await stream.unverifiedWebhooks.fill()];
      const waiting = await stream.webhooks.waiting();
      if (verified.bytes > peak.webhooks && waiting > 0) each = verified.bytes / waiting;
      peak.webhooks = Math.max(peak.webhooks, verified.bytes);
      peak.unverified = Math.max(peak.unverified, unverified.bytes);
    } catch {
      // The next sample follows a second later.
    }
  }, 1_000);
  return {
    stop: () => clearInterval(timer),
    peak: () => ({
      webhooks: Math.round(peak.webhooks / 1_048_576),
      unverified: Math.round(peak.unverified / 1_048_576),
    }),
    kilobytesEach: () => Math.round(each / 1_024),
  };
}

/** Peak resident memory of a process. */
function peakOf(pid: number): number {
  const [, kilobytes = '0'] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kilobytes) / 1_024);
}
