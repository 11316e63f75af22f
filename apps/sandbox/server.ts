import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault, Faults } from './faults.ts';
import { findRoute, json, type Reply, type Route, type SandboxRequest } from './route.ts';

export interface SandboxCall {
  readonly method: string;
  readonly path: string;
  readonly status: number;
}

const maxBodyBytes = 16 * 1024 * 1024;

export function createSandboxServer(of: {
  readonly routes: readonly Route[];
  readonly faults: Faults;
  readonly now: () => Date;
  readonly note: (call: SandboxCall) => void;
}): Server {
  // Longer than a caller on a busy machine leaves a connection idle between two requests.
  return createServer({ keepAliveTimeout: 75_000 }, (request, response) => {
    answer(request, response).catch((error: unknown) => {
      console.error(error);
      if (!response.headersSent) response.writeHead(500);
      response.end(String(error));
    });
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://sandbox');
    const received: SandboxRequest = {
      method: request.method ?? 'GET',
      path: url.pathname,
      params: {},
      query: url.searchParams,
      headers: request.headers as SandboxRequest['headers'],
      body: await readBody(request),
      now: of.now(),
    };
    const fault = of.faults.next(received);
    if (fault?.delayMs !== undefined) await sleep(fault.delayMs);
    const reply = await replyTo(received, fault);
    of.note({ method: received.method, path: received.path, status: reply.status });
    if (fault?.answer === 'lost') {
      response.destroy();
      return;
    }
    const body = Buffer.from(reply.body);
    const sent = fault?.answer === 'truncated' ? body.subarray(0, Math.floor(body.length / 2)) : body;
    response.writeHead(reply.status, { ...reply.headers, 'content-length': sent.length });
    response.end(sent);
  }

  async function replyTo(received: SandboxRequest, fault: Fault | undefined): Promise<Reply> {
    if (fault?.reply !== undefined) return typeof fault.reply === 'function' ? fault.reply(received) : fault.reply;
    const found = findRoute(of.routes, received.method, received.path);
    if (!found) return json(404, { error: `The sandbox has no ${received.method} ${received.path}.` });
    return found.route.handle({ ...received, params: found.params });
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > maxBodyBytes) throw new RangeError('The body is longer than the sandbox reads.');
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
