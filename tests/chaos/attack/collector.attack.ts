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

/** Against the part that anybody on the internet may send to. */
export const attacks: readonly Attack[] = [
  {
    title: 'idle sockets that announce bodies close the collector',
    async strike({ collectorPort, visit, tenant }) {
      const { key } = await tenant();
      const head = 'POST /v1/visits HTTP/1.1\r\nhost: c\r\ncontent-type: text/plain\r\ncontent-length: 65536\r\n\r\n';
      const sockets = await Promise.all(Array.from({ length: 512 }, () => open(collectorPort, head)));
      try {
        const { status } = await visit(key, [browserVisit(now())]);
        return unless(status === 204, `an honest visit was answered ${status}`);
      } finally {
        for (const socket of sockets) socket.destroy();
      }
    },
  },
  {
    title: 'a URL of lone percent signs costs seconds of CPU',
    async strike({ collector, visit, tenant }) {
      const { key } = await tenant();
      const url = `https://shop.example/?${'%25&'.repeat(1_018)}`;
      const visits = Array.from({ length: 15 }, () => browserVisit(now(), { url }));
      const before = cpuMs(collector.pid);
      await visit(key, visits);
      const spent = cpuMs(collector.pid) - before;
      return unless(spent < 400, `one request cost ${spent} ms of CPU`);
    },
  },
  {
    title: 'the visits log keeps what was handled until it is full',
    async strike({ stream, visit, key, drained, engines }) {
      await limitLog(engines.natsUrl, 4 << 20);
      // Four times as much as it takes; the worker makes room as it goes.
      for (let round = 0; round < 250; round += 1) {
        const visits = Array.from({ length: 45 }, () => browserVisit(now(), { title: 'x'.repeat(1_000) }));
        const { status } = await visit(key, visits, `203.0.${round}.7`);
        if (status === 503) break;
      }
      await drained(60_000);
      // As the worker does every minute.
      await stream.trim();
      const { share } = await stream.fill();
      await limitLog(engines.natsUrl, 64 << 20);
      return unless(share <= 0.5, `the log is ${Math.round(share * 100)} % full of handled messages`);
    },
  },
  {
    title: 'broken visits of one address use up a shop’s day',
    async strike({ visit, tenant }) {
      const { key } = await tenant();
      const zeros = Array.from({ length: 50 }, () => 0);
      let refused = 0;
      for (let count = 0; count < 2_000; count += 50) {
        const answers = await Promise.all(Array.from({ length: 50 }, () => visit(key, zeros, '203.0.113.99')));
        refused += answers.filter(({ status }) => status === 429).length;
        if (refused > 100) break;
      }
      const { status, text } = await visit(key, [browserVisit(now())], '198.51.100.20');
      return unless(status === 204, `an honest visit was answered ${status}: ${text.slice(0, 120)}`);
    },
  },
  {
    title: 'broken visits fill the table of broken visits',
    async strike({ visit, tenant, postgres }) {
      const { key, profileId } = await tenant();
      for (let count = 0; count < 20; count += 1)
        await visit(
          key,
          Array.from({ length: 50 }, () => ({ note: 'x'.repeat(1_000) })),
          `203.0.113.${count}`,
        );
      await sleep(2_000);
      const kept = await postgres
        .forProfile(profileId)
        .transaction((tx) =>
          sql<{ bytes: string }>`SELECT coalesce(sum(octet_length(sealed)), 0) AS bytes FROM bad_visits`.execute(tx),
        );
      const bytes = Number(kept.rows[0]?.bytes);
      return unless(bytes <= 2_000_000, `1 MB that was sent takes ${bytes} bytes`);
    },
  },
  {
    title: 'a person’s address leaves through the name of a track',
    async strike({ visit, tenant, drained, clickhouse }) {
      const { key, profileId } = await tenant();
      await visit(key, [
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
    async strike({ visit, tenant }) {
      const { key } = await tenant();
      const { status } = await visit(key, `[${'['.repeat(5_000)}${']'.repeat(5_000)}]`);
      return unless(status < 500, `it answered ${status}`);
    },
  },
  {
    title: 'many verifications at once pass the limit of ten a minute',
    async strike({ ask, tenant }) {
      const { headers } = await tenant();
      const url = 'http://127.0.0.1:9/';
      const answers = await Promise.all(
        Array.from({ length: 40 }, () => ask('/api/v1/tracking/verification', { headers, body: { url } })),
      );
      const taken = answers.filter(({ status }) => status !== 429).length;
      return unless(taken <= 10, `${taken} of 40 were taken`);
    },
  },
];

/** Less than the least that may be set: the drill has no hour to fill a log. */
async function limitLog(natsUrl: string, max_bytes: number): Promise<void> {
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
