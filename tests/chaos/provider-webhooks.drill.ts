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
    // A shorter outage where disk or time is short.
    awaySeconds: Number(process.env.DRILL_AWAY_SECONDS ?? 600),
    afterSeconds: 60,
  },
} as const;
/** Every so many is sent twice, and every so many is signed wrongly. */
const [twiceEach, forgedEach] = [20, 25];

/**
 * Stores send large orders as signed webhooks all the time, some twice and some signed wrongly, while PostgreSQL is killed and comes back
 * later. Half of the stores send for the first time while it is away. What is answered with 503 is sent again.
 */
export const drill: Drill = {
  name: 'provider-webhooks',
  promise:
    'Webhooks of providers are taken while PostgreSQL is away: each signed one is recorded once, none that is signed wrongly, and none is lost.',

  async run({ size, progress }) {
    const { stores, addresses, perMinute, bytes, beforeSeconds, awaySeconds, afterSeconds } = sizes[size];
    const port = await freePort();
    const scene = await openVisitsScene('drill-provider-webhooks', {
      PROVIDER_WEBHOOKS_PORT: String(port),
      // The visits leave the room of the one small server to the webhooks.
      STREAM_MAX_MEGABYTES: '1024',
      PROVIDER_WEBHOOKS_MAX_MEGABYTES: '8192',
      UNVERIFIED_WEBHOOKS_MAX_MEGABYTES: '2048',
    });
    const entrance = new AppProcess('provider-webhooks', 'provider-webhooks listens', {
      ...scene.environment,
      TRUSTED_PROXIES: '127.0.0.1',
    });
    const senders = new WebhookSenders(`http://127.0.0.1:${port}/hooks/store`, addresses, bytes);
    const watch = watchStreams(scene, entrance);
    try {
      await entrance.start();
      const all = await connectStores(scene, stores);
      const right: Sent[] = [];
      const forged: Sent[] = [];
      const total = Math.round(((beforeSeconds + awaySeconds + afterSeconds) * perMinute) / 60);
      const startedAt = performance.now();
      let sentCount = 0;
      const sendFor = async (seconds: number, from: readonly Sender[], note: string) => {
        const until = performance.now() + seconds * 1_000;
        const first = sentCount;
        const begun = performance.now();
        while (performance.now() < until) {
          const due = ((performance.now() - begun) * perMinute) / 60_000;
          if (sentCount - first >= due) {
            await sleep(5);
            continue;
          }
          const id = 1_000_000 + sentCount;
          const isForged = sentCount % forgedEach === 7;
          const sent = { sender: from[sentCount % from.length] as Sender, id, isForged };
          (isForged ? forged : right).push(sent);
          await senders.send(sent);
          if (sentCount % twiceEach === 3) await senders.send(sent);
          if (sentCount % 4 === 0) await senders.again(1);
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
      await sendFor(awaySeconds, all, 'PostgreSQL is away');
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
      await drained(scene, (left) => progress(total - left, total, 'being applied'));
      const drainSeconds = (performance.now() - drainedFrom) / 1_000;
      watch.stop();

      const { lost, doubled, intruders } = await compare(scene, right, forged);
      const deadLetters = await scene.stream.deadLetters.count();
      const statuses = Object.fromEntries([...senders.statuses].sort(([a], [b]) => a - b));
      const waits = senders.waits.toSorted((a, b) => a - b);
      const refusedForged = senders.statuses.get(401) ?? 0;
      return {
        passed: lost + doubled + intruders + deadLetters === 0 && unverified > 0 && refusedForged > 0,
        webhooks: right.length,
        sent_twice: Math.floor(sentCount / twiceEach),
        signed_wrongly: forged.length,
        lost,
        doubled,
        wrongly_signed_in_ledger: intruders,
        dead_letters: deadLetters,
        away_seconds: awaySeconds,
        a_minute: Math.round((sentCount / sendingMs) * 60_000),
        mebibytes_sent: Math.round(senders.bytes / 1_048_576),
        answers: statuses,
        sent_again: senders.retried,
        waiting_when_back: waiting,
        unverified_when_back: unverified,
        answered_within_ms: {
          p50: Math.round(waits[waits.length >> 1] ?? 0),
          p99: Math.round(waits[Math.floor(waits.length * 0.99)] ?? 0),
        },
        seconds_to_drain: Math.round(drainSeconds),
        most_stream_megabytes: watch.most(),
        kilobytes_each: watch.kilobytesEach(),
        most_memory_megabytes: { 'provider-webhooks': peakOf(entrance.pid), worker: peakOf(scene.worker.pid) },
      };
    } finally {
      watch.stop();
      await Promise.all([entrance.kill(), senders.close()]);
      await scene.close();
    }
  },
};

/** Stores that were connected by hand, with secrets of their own. */
async function connectStores({ postgres, ring }: VisitsScene, count: number): Promise<Sender[]> {
  const vault = ring.envelope();
  const stores: Sender[] = [];
  for (let n = 0; n < count; n += 1) {
    const profile = await buildProfile(postgres.home, { plan: 'scale' });
    const [id, domain, secret] = [uuid(), `store-${n}.myshopify.com`, `secret of ${uuid()}`];
    const place = { table: 'connections', column: 'credentials', row: id, profileId: profile.id };
    const credentials = vault.seal(JSON.stringify({ webhookSecret: secret, accessToken: null }), place);
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

/** Resolves when the worker has handled all webhooks. */
async function drained({ stream }: VisitsScene, report: (left: number) => void): Promise<void> {
  const deadline = performance.now() + 3_600_000;
  for (;;) {
    const left = (await stream.webhooks.waiting()) + (await stream.unverifiedWebhooks.waiting());
    if (left === 0) return;
    if (performance.now() > deadline) throw new Error(`${left} webhooks are still in the streams.`);
    report(left);
    await sleep(200);
  }
}

/** What the ledger has of what was sent. */
async function compare({ postgres }: VisitsScene, right: readonly Sent[], forged: readonly Sent[]) {
  let [lost, doubled, intruders] = [0, 0, 0];
  const wrong = new Set(forged.map(({ id }) => String(id)));
  for (const [profileId, sent] of Map.groupBy(right, ({ sender }) => sender.profileId)) {
    const { rows } = await postgres.forProfile(profileId).transaction((tx) =>
      sql<{ id: string; times: string }>`
        SELECT split_part(idempotency_key, ':', 2) AS id, count(*) AS times FROM outcomes
        WHERE profile_id = ${profileId} GROUP BY 1`.execute(tx),
    );
    const recorded = new Map(rows.map(({ id, times }) => [id, Number(times)]));
    for (const { id } of sent) if (!recorded.has(String(id))) lost += 1;
    for (const times of recorded.values()) if (times > 1) doubled += 1;
    for (const id of recorded.keys()) if (wrong.has(id)) intruders += 1;
  }
  return { lost, doubled, intruders };
}

/** Looks once a second how much disk the streams take. */
function watchStreams({ stream }: VisitsScene, entrance: AppProcess) {
  const most = { webhooks: 0, unverified: 0 };
  let each = 0;
  const timer = setInterval(async () => {
    if (!entrance.lines.some((line) => line.includes('listens'))) return;
    try {
      const [verified, unverified] = [await stream.webhooks.fill(), await stream.unverifiedWebhooks.fill()];
      const waiting = await stream.webhooks.waiting();
      if (verified.bytes > most.webhooks && waiting > 0) each = verified.bytes / waiting;
      most.webhooks = Math.max(most.webhooks, verified.bytes);
      most.unverified = Math.max(most.unverified, unverified.bytes);
    } catch {
      // Looked at again a second later.
    }
  }, 1_000);
  return {
    stop: () => clearInterval(timer),
    most: () => ({
      webhooks: Math.round(most.webhooks / 1_048_576),
      unverified: Math.round(most.unverified / 1_048_576),
    }),
    kilobytesEach: () => Math.round(each / 1_024),
  };
}

/** The most that the process ever had in memory. */
function peakOf(pid: number): number {
  const [, kilobytes = '0'] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kilobytes) / 1_024);
}
