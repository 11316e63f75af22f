import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { buildTracker } from '@tributary/tracker/build.ts';
import { limits, visitTraits, visitTypes } from '@tributary/vocabulary';
import { z } from 'zod';

/**
 * Replaces the collector: serves the script, accepts visits in the collector's format, and records them. The format is validated strictly, so that
 * visits accepted here are accepted by the collector too.
 */
const id = z.uuidv7();
const Visit = z.strictObject({
  id,
  at: z.iso.datetime({ precision: 3 }),
  type: z.enum(visitTypes),
  name: z.string().optional(),
  session_id: id,
  is_session_start: z.boolean(),
  url: z.url(),
  referrer: z.url().optional(),
  properties: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])).optional(),
  traits: z.partialRecord(z.enum(visitTraits), z.string()).optional(),
  link_token: z.string().optional(),
  verification: z.string().optional(),
});
const Envelope = z.strictObject({
  key: z.string().regex(/^trk_[0-9A-Za-z]{22}$/),
  client_id: id,
  consent: z.boolean(),
  visits: z.array(Visit).min(1).max(limits.visitRequest.visits),
});

type Visit = z.infer<typeof Visit>;

interface Arrival extends z.infer<typeof Envelope> {
  readonly status: number;
  readonly arrivedAt: number;
  readonly isBeacon: boolean;
  readonly cookie: string | undefined;
}

interface Answer {
  readonly status: number;
  readonly retryAfter?: number;
}

export interface Collector {
  readonly url: string;
  /** Every request, whatever its response. */
  readonly arrivals: Arrival[];
  /** Validation errors of the received requests. */
  readonly complaints: string[];
  /** Decides the responses from now on; undefined closes the connection. */
  answer: () => Answer | undefined;
  /** The accepted visits without duplicates, in chronological order. */
  visits(): Visit[];
  reset(): void;
  close(): Promise<void>;
}

export async function openCollector(): Promise<Collector> {
  const script = await buildTracker();
  const accept = (): Answer => ({ status: 204 });
  const server = createServer(async (request, response) => {
    if (request.url === '/t.js') {
      response.writeHead(200, { 'content-type': 'text/javascript' }).end(script);
      return;
    }
    const envelope = await readEnvelope(request).catch((error: Error) => {
      collector.complaints.push(`${request.method} ${request.url}: ${error.message}`);
    });
    const answer = collector.answer();
    if (envelope) {
      collector.arrivals.push({
        ...envelope,
        status: answer?.status ?? 0,
        arrivedAt: Date.now(),
        isBeacon: request.headers['sec-fetch-mode'] === 'no-cors',
        cookie: request.headers.cookie,
      });
    }
    if (!answer) {
      request.socket.destroy();
      return;
    }
    response.writeHead(envelope ? answer.status : 400, {
      'access-control-allow-origin': '*',
      'access-control-expose-headers': 'Retry-After',
      ...(answer.retryAfter !== undefined && { 'retry-after': String(answer.retryAfter) }),
    });
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  const collector: Collector = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrivals: [],
    complaints: [],
    answer: accept,
    visits() {
      const accepted = this.arrivals.filter(({ status }) => status === 204).flatMap(({ visits }) => visits);
      const once = new Map(accepted.map((visit) => [visit.id, visit]));
      return [...once.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
    },
    reset() {
      this.arrivals.length = 0;
      this.complaints.length = 0;
      this.answer = accept;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return collector;
}

async function readEnvelope(request: IncomingMessage): Promise<z.infer<typeof Envelope>> {
  const body = await text(request);
  if (request.method !== 'POST' || request.url !== '/v1/visits') throw new Error('no such address');
  if (!/^text\/plain\b/.test(request.headers['content-type'] ?? '')) throw new Error('not plain text');
  if (Buffer.byteLength(body) > 65_536) throw new Error('too large');
  return Envelope.parse(JSON.parse(body));
}
