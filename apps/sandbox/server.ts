import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault, Faults } from './faults.ts';
import { type Asked, findRoute, json, type Reply, type Route } from './route.ts';

export interface SandboxCall {
  readonly method: string;
  readonly path: string;
  readonly status: number;
}

const mostBodyBytes = 16 * 1024 * 1024;

export function createSandboxServer(of: {
  readonly routes: readonly Route[];
  readonly faults: Faults;
  readonly now: () => Date;
  readonly note: (call: SandboxCall) => void;
}): Server {
  // Longer than a caller on a busy machine keeps a connection in hand before its next question.
  return createServer({ keepAliveTimeout: 75_000 }, (request, response) => {
    answer(request, response).catch((error: unknown) => {
      console.error(error);
      if (!response.headersSent) response.writeHead(500);
      response.end(String(error));
    });
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://sandbox');
    const asked: Asked = {
      method: request.method ?? 'GET',
      path: url.pathname,
      params: {},
      query: url.searchParams,
      headers: request.headers as Asked['headers'],
      body: await readBody(request),
      now: of.now(),
    };
    const fault = of.faults.next(asked);
    if (fault?.delayMs !== undefined) await sleep(fault.delayMs);
    const reply = await replyTo(asked, fault);
    of.note({ method: asked.method, path: asked.path, status: reply.status });
    if (fault?.answer === 'lost') {
      response.destroy();
      return;
    }
    const body = Buffer.from(reply.body);
    const sent = fault?.answer === 'truncated' ? body.subarray(0, Math.floor(body.length / 2)) : body;
    response.writeHead(reply.status, { ...reply.headers, 'content-length': sent.length });
    response.end(sent);
  }

  async function replyTo(asked: Asked, fault: Fault | undefined): Promise<Reply> {
    if (fault?.reply !== undefined) return typeof fault.reply === 'function' ? fault.reply(asked) : fault.reply;
    const found = findRoute(of.routes, asked.method, asked.path);
    if (!found) return json(404, { error: `The sandbox has no ${asked.method} ${asked.path}.` });
    return found.route.handle({ ...asked, params: found.params });
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > mostBodyBytes) throw new RangeError('The body is longer than the sandbox reads.');
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
