import { execFile } from 'node:child_process';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { request } from 'undici';

/** Of the noisy tenant's key, as most keys have it. */
export const requestsPerMinute = 300;
export const ahead = 40;
export const slowReaders = 12;
/** Sockets of one address that each ask for the reference as often as they may send ahead. */
const readers = 20;
const asksOfReader = 25;

const survey = (properties: object) => ({ event_name: 'survey', properties });
const manyFields = survey(Object.fromEntries(Array.from({ length: 250_000 }, (_, index) => [`k${index}`, index])));
const longList = survey({ a: Array.from({ length: 180_000 }, () => ({ b: 1 })) });
/** None of them is recorded. Made before anything is measured. */
const largeEvents = [manyFields, longList, { events: [manyFields] }].map((body) => JSON.stringify(body));
const largeImports = ['a', 'b', 'c'].map((part) =>
  JSON.stringify({
    events: Array.from({ length: 1_000 }, (_, index) => ({
      ...survey({ note: 'x'.repeat(3_000) }),
      idempotency_key: `${part}-${index}`,
    })),
  }),
);

/** What a hostile tenant has in its hands. */
export interface NoisyScene {
  readonly port: number;
  readonly collectorPort: number;
  readonly noisy: Readonly<Record<string, string>>;
  readonly trackingKey: string;
  readonly exportPath: string;
  /** Takes webhooks and never answers. */
  readonly receiver: string;
}

/** What a noisy caller got: how often, by what it was. */
export type Counts = Readonly<Record<string, number>>;

/** Those that load one process of the API. */
export const apiNoises = {
  quiet: async () => ({}),

  /** As often as its key allows for ever: all searches of a burst are written before the first answer is read. */
  'sent ahead': async ({ port, noisy }, until) => {
    const counts = { answered_ahead: 0, refused_ahead: 0 };
    while (performance.now() < until) {
      const next = untilNext((ahead / requestsPerMinute) * 60_000, until);
      const search = `GET /api/v1/customers/search?q=an HTTP/1.1\r\nhost: x\r\nauthorization: ${noisy.authorization}\r\n\r\n`;
      const statuses = await sendAhead(port, search);
      counts.answered_ahead += statuses.filter((status) => status === 200).length;
      counts.refused_ahead += statuses.filter((status) => status !== 200).length;
      await next;
    }
    return counts;
  },

  'read slowly': async ({ port, noisy, exportPath }, until) => {
    const lasting = String((until - performance.now()) / 1_000);
    const args = [String(port), exportPath, noisy.authorization ?? '', String(slowReaders), lasting];
    const { stdout } = await promisify(execFile)('python3', [join(import.meta.dirname, 'slow-readers.py'), ...args]);
    return { exports_asked: Number(stdout) };
  },

  /** Once a second an event of 4 MB. */
  'large events': (scene, until) => postEverySecond(scene, until, 'large_events', largeEvents),

  /** Anybody may: from one address, without a credential. */
  documents: async ({ port }, until) => {
    const counts = { documents_answered: 0 };
    while (performance.now() < until) {
      const next = untilNext(1_000, until);
      const args = [String(port), '/api/v1/openapi.json', String(readers), String(asksOfReader)];
      const { stdout } = await promisify(execFile)('python3', [join(import.meta.dirname, 'send-ahead.py'), ...args]);
      counts.documents_answered += Number(stdout);
      await next;
    }
    return counts;
  },

  /** As large as they may be, and all right. */
  'large imports': (scene, until) => postEverySecond(scene, until, 'large_imports', largeImports),
} as const satisfies Record<string, (scene: NoisyScene, until: number) => Promise<Counts>>;

/** The pause before the next burst, or what is left of the time. */
const untilNext = (ms: number, until: number) => sleep(Math.max(0, Math.min(ms, until - performance.now())));

/** Counts the answers by what became of them: taken, or refused. */
async function postEverySecond(
  { port, noisy }: NoisyScene,
  until: number,
  name: string,
  bodies: readonly string[],
): Promise<Counts> {
  const counts: Record<string, number> = { [`${name}_taken`]: 0, [`${name}_refused`]: 0 };
  for (let round = 0; performance.now() < until; round += 1) {
    const next = untilNext(1_000, until);
    const { statusCode, body } = await request(`http://127.0.0.1:${port}/api/v1/events`, {
      method: 'POST',
      headers: { ...noisy, 'content-type': 'application/json' },
      body: bodies[round % bodies.length] ?? '',
    });
    const answer = (await body.json()) as { data?: { summary?: { rejected: number } } };
    const isTaken = statusCode === 202 && !answer.data?.summary?.rejected;
    const outcome = `${name}_${isTaken ? 'taken' : 'refused'}`;
    counts[outcome] = (counts[outcome] ?? 0) + 1;
    await next;
  }
  return counts;
}

/** The statuses in their order; what the connection lost in its end counts as 0. */
function sendAhead(port: number, one: string): Promise<number[]> {
  return new Promise((resolve) => {
    const connection = connect(port, '127.0.0.1', () => connection.write(one.repeat(ahead)));
    let text = '';
    const statuses = () => [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));
    connection.setTimeout(30_000, () => connection.destroy());
    connection.on('error', () => {});
    connection.on('data', (chunk) => {
      text += chunk;
      // Each answer ends with the brace of its body; the last one ends the connection.
      if (statuses().length === ahead && text.endsWith('}')) connection.destroy();
    });
    connection.on('close', () => resolve([...statuses(), ...Array<number>(ahead).fill(0)].slice(0, ahead)));
  });
}
