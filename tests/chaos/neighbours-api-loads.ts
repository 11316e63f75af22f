import { execFile } from 'node:child_process';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { request } from 'undici';

/** Rate limit of the hostile tenant's key. */
export const requestsPerMinute = 300;
/** Pipelined requests per burst. */
export const pipelined = 40;
export const slowReaders = 12;
/** Sockets per client address, and pipelined requests per socket. */
const sockets = 20;
const requestsPerSocket = 25;

const survey = (properties: object) => ({ event_name: 'survey', properties });
const manyFields = survey(Object.fromEntries(Array.from({ length: 250_000 }, (_, index) => [`k${index}`, index])));
const longList = survey({ a: Array.from({ length: 180_000 }, () => ({ b: 1 })) });
/** All are over a limit and rejected. Built before the measurement. */
const largeEvents = [manyFields, longList, { events: [manyFields] }].map((body) => JSON.stringify(body));
const largeImports = ['a', 'b', 'c'].map((part) =>
  JSON.stringify({
    events: Array.from({ length: 1_000 }, (_, index) => ({
      ...survey({ note: 'x'.repeat(3_000) }),
      idempotency_key: `${part}-${index}`,
    })),
  }),
);

/** Addresses and credentials of the hostile tenant. */
export interface HostileScene {
  readonly port: number;
  readonly collectorPort: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly trackingKey: string;
  readonly exportPath: string;
  /** A webhook receiver that never responds. */
  readonly receiver: string;
}

/** Number of responses by result. */
export type Counts = Readonly<Record<string, number>>;

/** Hostile loads on one API process. */
export const apiLoads = {
  quiet: async () => ({}),

  /** Pipelined searches at the rate limit: a whole burst is sent before the first response is read. */
  'sent ahead': async ({ port, headers }, until) => {
    const counts = { pipelined_accepted: 0, pipelined_rejected: 0 };
    while (performance.now() < until) {
      const next = untilNext((pipelined / requestsPerMinute) * 60_000, until);
      const search = `GET /api/v1/customers/search?q=an HTTP/1.1\r\nhost: x\r\nauthorization: ${headers.authorization}\r\n\r\n`;
      const statuses = await sendPipelined(port, search);
      counts.pipelined_accepted += statuses.filter((status) => status === 200).length;
      counts.pipelined_rejected += statuses.filter((status) => status !== 200).length;
      await next;
    }
    return counts;
  },

  'read slowly': async ({ port, headers, exportPath }, until) => {
    const seconds = String((until - performance.now()) / 1_000);
    const args = [String(port), exportPath, headers.authorization ?? '', String(slowReaders), seconds];
    const { stdout } = await promisify(execFile)('python3', [join(import.meta.dirname, 'slow-readers.py'), ...args]);
    return { exports_requested: Number(stdout) };
  },

  /** One 4 MB event per second. */
  'large events': (scene, until) => postEverySecond(scene, until, 'large_events', largeEvents),

  /** Anonymous downloads from one address. */
  documents: async ({ port }, until) => {
    const counts = { documents_sent: 0 };
    while (performance.now() < until) {
      const next = untilNext(1_000, until);
      const args = [String(port), '/api/v1/openapi.json', String(sockets), String(requestsPerSocket)];
      const { stdout } = await promisify(execFile)('python3', [join(import.meta.dirname, 'send-ahead.py'), ...args]);
      counts.documents_sent += Number(stdout);
      await next;
    }
    return counts;
  },

  /** Valid imports of the maximum size. */
  'large imports': (scene, until) => postEverySecond(scene, until, 'large_imports', largeImports),
} as const satisfies Record<string, (scene: HostileScene, until: number) => Promise<Counts>>;

/** Waits for the next burst, or until the end. */
const untilNext = (ms: number, until: number) => sleep(Math.max(0, Math.min(ms, until - performance.now())));

/** Counts accepted and rejected requests. */
async function postEverySecond(
  { port, headers }: HostileScene,
  until: number,
  name: string,
  bodies: readonly string[],
): Promise<Counts> {
  const counts: Record<string, number> = { [`${name}_accepted`]: 0, [`${name}_rejected`]: 0 };
  for (let round = 0; performance.now() < until; round += 1) {
    const next = untilNext(1_000, until);
    const { statusCode, body } = await request(`http://127.0.0.1:${port}/api/v1/events`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: bodies[round % bodies.length] ?? '',
    });
    const response = (await body.json()) as { data?: { summary?: { rejected: number } } };
    const isAccepted = statusCode === 202 && !response.data?.summary?.rejected;
    const outcome = `${name}_${isAccepted ? 'accepted' : 'rejected'}`;
    counts[outcome] = (counts[outcome] ?? 0) + 1;
    await next;
  }
  return counts;
}

/** Resolves to the statuses in order; a missing response counts as 0. */
function sendPipelined(port: number, one: string): Promise<number[]> {
  return new Promise((resolve) => {
    const connection = connect(port, '127.0.0.1', () => connection.write(one.repeat(pipelined)));
    let text = '';
    const statuses = () => [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));
    connection.setTimeout(30_000, () => connection.destroy());
    connection.on('error', () => {});
    connection.on('data', (chunk) => {
      text += chunk;
      // The last response is complete when its JSON body ends.
      if (statuses().length === pipelined && text.endsWith('}')) connection.destroy();
    });
    connection.on('close', () => resolve([...statuses(), ...Array<number>(pipelined).fill(0)].slice(0, pipelined)));
  });
}
