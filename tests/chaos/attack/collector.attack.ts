import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect as connectToNats } from '@nats-io/transport-node';
import { raw } from '@tributary/clickhouse';
import { connectionOptions } from '@tributary/stream';
import { browserVisit } from '@tributary/testkit';
import { sql } from 'kysely';
import { type Attack, unless } from './attack.ts';
import { cpuMs } from './measure.ts';

const now = () => new Date();

/** Attacks on the collector, which accepts requests from anyone on the internet. */
export const attacks: readonly Attack[] = [
  {
    title: 'idle sockets that never send the announced body block the collector',
    async run({ collectorPort, sendVisits, createTenant }) {
      const { key } = await createTenant();
      const head = 'POST /v1/visits HTTP/1.1\r\nhost: c\r\ncontent-type: text/plain\r\ncontent-length: 65536\r\n\r\n';
      const sockets = await Promise.all(Array.from({ length: 512 }, () => open(collectorPort, head)));
      try {
        const { status } = await sendVisits(key, [browserVisit(now())]);
        return unless(status === 204, `a legitimate visit got ${status}`);
      } finally {
        for (const socket of sockets) socket.destroy();
      }
    },
  },
  {
    title: 'a URL of bare percent signs uses seconds of CPU',
    async run({ collector, sendVisits, createTenant }) {
      const { key } = await createTenant();
      const url = `https://shop.example/?${'%25&'.repeat(1_018)}`;
      const visits = Array.from({ length: 15 }, () => browserVisit(now(), { url }));
      const before = cpuMs(collector.pid);
      await sendVisits(key, visits);
      const spent = cpuMs(collector.pid) - before;
      return unless(spent < 400, `one request used ${spent} ms of CPU`);
    },
  },
  {
    title: 'the visit stream keeps processed messages until it is full',
    async run({ stream, sendVisits, key, drained, engines }) {
      await limitStream(engines.natsUrl, 4 << 20);
      // Four times the limit. The worker frees space while this runs.
      for (let round = 0; round < 250; round += 1) {
        const visits = Array.from({ length: 45 }, () => browserVisit(now(), { title: 'x'.repeat(1_000) }));
        const { status } = await sendVisits(key, visits, `203.0.${round}.7`);
        if (status === 503) break;
      }
      await drained(60_000);
      // The worker does this every minute.
      await stream.trim();
      const { share } = await stream.fill();
      await limitStream(engines.natsUrl, 64 << 20);
      return unless(share <= 0.5, `the stream is ${Math.round(share * 100)} % full of processed messages`);
    },
  },
  {
    title: 'invalid visits from one address use up the daily quota of a profile',
    async run({ sendVisits, createTenant }) {
      const { key } = await createTenant();
      const zeros = Array.from({ length: 50 }, () => 0);
      let rejected = 0;
      for (let count = 0; count < 2_000; count += 50) {
        const responses = await Promise.all(Array.from({ length: 50 }, () => sendVisits(key, zeros, '203.0.113.99')));
        rejected += responses.filter(({ status }) => status === 429).length;
        if (rejected > 100) break;
      }
      const { status, text } = await sendVisits(key, [browserVisit(now())], '198.51.100.20');
      return unless(status === 204, `a legitimate visit got ${status}: ${text.slice(0, 120)}`);
    },
  },
  {
    title: 'invalid visits fill the table of invalid visits',
    async run({ sendVisits, createTenant, postgres }) {
      const { key, profileId } = await createTenant();
      for (let count = 0; count < 20; count += 1)
        await sendVisits(
          key,
          Array.from({ length: 50 }, () => ({ note: 'x'.repeat(1_000) })),
          `203.0.113.${count}`,
        );
      await sleep(2_000);
      const stored = await postgres
        .forProfile(profileId)
        .transaction((tx) =>
          sql<{ bytes: string }>`SELECT coalesce(sum(octet_length(sealed)), 0) AS bytes FROM bad_visits`.execute(tx),
        );
      const bytes = Number(stored.rows[0]?.bytes);
      return unless(bytes <= 2_000_000, `1 MB of requests takes ${bytes} bytes`);
    },
  },
  {
    title: 'the event name of a track call stores an e-mail address',
    async run({ sendVisits, createTenant, drained, clickhouse }) {
      const { key, profileId } = await createTenant();
      await sendVisits(key, [
        browserVisit(now(), {
          type: 'track',
          name: 'leak.track@canary.example',
          url: 'https://shop.example/?external_id=ext42leak',
        }),
      ]);
      await drained(60_000);
      const rows = await clickhouse.query(
        raw<{ event_name: string; url: string }>('SELECT event_name, url FROM visits WHERE profile_id = {id:UUID}'),
        { id: profileId },
      );
      return unless(!/canary|ext42leak/.test(JSON.stringify(rows)), `ClickHouse has ${JSON.stringify(rows)}`);
    },
  },
  {
    title: 'deeply nested JSON makes the collector answer 500',
    async run({ sendVisits, createTenant }) {
      const { key } = await createTenant();
      const { status } = await sendVisits(key, `[${'['.repeat(5_000)}${']'.repeat(5_000)}]`);
      return unless(status < 500, `the response was ${status}`);
    },
  },
  {
    title: 'concurrent verifications exceed the limit of ten per minute',
    async run({ callApi, createTenant }) {
      const { headers } = await createTenant();
      const url = 'http://127.0.0.1:9/';
      const responses = await Promise.all(
        Array.from({ length: 40 }, () => callApi('/api/v1/tracking/verification', { headers, body: { url } })),
      );
      const accepted = responses.filter(({ status }) => status !== 429).length;
      return unless(accepted <= 10, `${accepted} of 40 were accepted`);
    },
  },
];

/** Sets a limit below the smallest allowed setting, because filling a stream of normal size would take an hour. */
async function limitStream(natsUrl: string, max_bytes: number): Promise<void> {
  const connection = await connectToNats(connectionOptions(natsUrl));
  const manager = await jetstreamManager(connection);
  for await (const { config } of manager.streams.list())
    if (config.name.endsWith('visits')) await manager.streams.update(config.name, { max_bytes });
  await connection.close();
}

function open(port: number, head: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(head, () => resolve(socket)));
    socket.on('error', reject);
  });
}
