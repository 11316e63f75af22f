import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Refusal, renderError } from '@tributary/operations/refusals.ts';
import type { Log } from '@tributary/telemetry';
import { v7 as uuid } from 'uuid';

type Headers = Readonly<Record<string, string>>;

export interface NodeServerOptions {
  /** For the addresses of error pages. */
  readonly baseUrl: string;
  readonly log: Log;
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  /** Headers of every error response. */
  readonly errorHeaders: Headers;
  readonly isStopping: () => boolean;
  /** Sends the response, or throws an error that is rendered as JSON. */
  readonly serve: (request: IncomingMessage, response: ServerResponse) => unknown;
  readonly onResponse: (
    request: IncomingMessage,
    response: ServerResponse,
    result: { readonly errorCode: string | undefined; readonly ms: number },
  ) => void;
}

export interface NodeServer {
  readonly server: Server;
  /** Resolves to the port. */
  listen(host: string, port: number): Promise<number>;
  close(): Promise<void>;
}

/** A server on Node's own HTTP module, for internet-facing processes with few routes: a framework would cost more than the rest. */
export function createNodeServer(options: NodeServerOptions): NodeServer {
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const startedAt = performance.now();
    if (options.isStopping()) response.shouldKeepAlive = false;
    let errorCode: string | undefined;
    try {
      await options.serve(request, response);
    } catch (error) {
      const requestId = `req_${uuid()}`;
      if (!(error instanceof Refusal)) options.log.failure(undefined, error);
      const { status, code, body, headers } = renderError(error, requestId, options.baseUrl);
      errorCode = String(code);
      sendJson(response, status, body, { ...options.errorHeaders, 'x-request-id': requestId, ...headers });
      // The rest of the body is not read: the connection closes after the response.
      if (!request.complete) response.once('finish', () => request.destroy());
    }
    options.onResponse(request, response, { errorCode, ms: performance.now() - startedAt });
  };

  const server = createServer(
    {
      headersTimeout: Math.min(options.headersTimeoutMs, options.requestTimeoutMs),
      requestTimeout: options.requestTimeoutMs,
      // The default of Node checks for late requests every 30 seconds.
      connectionsCheckingInterval: 1_000,
      keepAliveTimeout: 65_000,
      requireHostHeader: false,
    },
    (request, response) => void answer(request, response),
  );
  return {
    server,
    listen: (host, port) =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, host, () => resolve((server.address() as { port: number }).port));
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
      }),
  };
}

export function sendJson(response: ServerResponse, status: number, body: unknown, headers: Headers): void {
  if (response.headersSent) return;
  const type = { 'content-type': 'application/json; charset=utf-8' };
  response.writeHead(status, { ...type, ...headers }).end(JSON.stringify(body));
}
