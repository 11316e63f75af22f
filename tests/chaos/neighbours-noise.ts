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

export interface NoisyScene {
  readonly port: number;
  readonly noisy: Readonly<Record<string, string>>;
  readonly exportPath: string;
}

/** What a noisy caller got: how often, by what it was. */
type Counts = Readonly<Record<string, number>>;

/** Each makes its noise until the given time. */
export const noises = {
  quiet: async () => ({}),

  /** As often as its key allows for ever: all searches of a burst are written before the first answer is read. */
  'sent ahead': async ({ port, noisy }, until) => {
    const counts = { answered_ahead: 0, refused_ahead: 0 };
    while (performance.now() < until) {
      const next = untilNext((ahead / requestsPerMinute) * 60_000, until);
      const search = `GET /api/v1/customers/search?q=an HTTP/1.1\r\nhost: x\r\nauthorization: ${noisy.authorization}\r\n\r\n`;
      const statuses = await sendAhead(port, search, ahead);
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

  /** Once a second an event of 4 MB: in turns by its fields, by a list, and among many. */
  'large events': (scene, until) => {
    const event = (properties: object) => ({ event_name: 'survey', properties });
    const many = event(Object.fromEntries(Array.from({ length: 250_000 }, (_, index) => [`k${index}`, index])));
    const listed = event({ a: Array.from({ length: 180_000 }, () => ({ b: 1 })) });
    return postEverySecond(scene, until, 'large_events', '/api/v1/events', [many, listed, { events: [many] }]);
  },

  /** Anybody may: from one address, without a credential. */
  documents: async ({ port }, until) => {
    const counts = { documents_answered: 0 };
    while (performance.now() < until) {
      const next = untilNext(1_000, until);
      const ask = 'GET /api/v1/openapi.json HTTP/1.1\r\nhost: x\r\n\r\n';
      const all = await Promise.all(Array.from({ length: readers }, () => sendAhead(port, ask, asksOfReader)));
      counts.documents_answered += all.flat().filter((status) => status === 200).length;
      await next;
    }
    return counts;
  },

  /** As large as they may be, and all right. */
  'large imports': (scene, until) => {
    const note = 'x'.repeat(3_000);
    const bodies = ['a', 'b', 'c'].map((part) => ({
      events: Array.from({ length: 1_000 }, (_, index) => ({
        event_name: 'survey',
        idempotency_key: `${part}-${index}`,
        properties: { note },
      })),
    }));
    return postEverySecond(scene, until, 'large_imports', '/api/v1/events', bodies);
  },
} as const satisfies Record<string, (scene: NoisyScene, until: number) => Promise<Counts>>;

export type Noise = keyof typeof noises;

/** The pause before the next burst, or what is left of the time. */
const untilNext = (ms: number, until: number) => sleep(Math.max(0, Math.min(ms, until - performance.now())));

/** Counts the answers by what became of them: taken, or refused. */
async function postEverySecond(
  { port, noisy }: NoisyScene,
  until: number,
  name: string,
  path: string,
  bodies: readonly object[],
): Promise<Counts> {
  const texts = bodies.map((body) => JSON.stringify(body));
  const counts: Record<string, number> = { [`${name}_taken`]: 0, [`${name}_refused`]: 0 };
  for (let round = 0; performance.now() < until; round += 1) {
    const next = untilNext(1_000, until);
    const { statusCode, body } = await request(`http://127.0.0.1:${port}${path}`, {
      method: 'POST',
      headers: { ...noisy, 'content-type': 'application/json' },
      body: texts[round % texts.length] ?? '',
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
function sendAhead(port: number, one: string, times: number): Promise<number[]> {
  return new Promise((resolve) => {
    const connection = connect(port, '127.0.0.1', () => connection.write(one.repeat(times)));
    const found: number[] = [];
    let end = '';
    connection.setTimeout(30_000, () => connection.destroy());
    connection.on('error', () => {});
    connection.on('data', (chunk) => {
      // A status line may come in two pieces.
      const text = end + chunk.toString('latin1');
      const matches = [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)];
      for (const [, status] of matches) found.push(Number(status));
      const last = matches.at(-1);
      end = text.slice(Math.max(last ? last.index + 12 : 0, text.length - 12));
      // Each answer ends with the brace of its body; the last one ends the connection.
      if (found.length === times && text.endsWith('}')) connection.destroy();
    });
    connection.on('close', () => resolve([...found, ...Array<number>(times).fill(0)].slice(0, times)));
  });
}
