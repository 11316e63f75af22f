import { readFileSync } from 'node:fs';
import { type IncomingMessage, STATUS_CODES } from 'node:http';
import cors from '@fastify/cors';
import { Channel } from '@tributary/contract';
import { awayAsRefusal, countRefusal, Refusal, renderError, renderOAuthError, tooMany } from '@tributary/operations';
import type { RateLimiter } from '@tributary/redis';
import type { Log, Metrics, Tracing } from '@tributary/telemetry';
import { limits } from '@tributary/vocabulary';
import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { sendNotFoundPage, wantsNotFoundPage } from './not-found-page.ts';
import { serveInTurn } from './pipelining.ts';
import { type BodyLimits, BodyReader, isFromProvider } from './read-body.ts';
import { RequestState } from './request-state.ts';

export interface ServerOptions {
  readonly baseUrl: string;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly limiter: RateLimiter;
  readonly tracing?: Tracing | undefined;
  readonly requestTimeoutMs: number;
  readonly trustedProxies: readonly string[];
  readonly corsOrigins: readonly string[];
  readonly tls?: { readonly certificateFile: string; readonly keyFile: string } | undefined;
  readonly maxBodyBytes?: number;
  readonly bodies?: BodyLimits;
  /** The time limit for receiving all headers. */
  readonly headersTimeoutMs?: number;
}

/** The time that a client has to read the error before the connection is closed. */
const lingerMs = 1_000;

/** A connect page opens in a pop-up and reports back to the console, so pop-ups keep their opener. */
const everyResponse = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'cross-origin-opener-policy': 'same-origin-allow-popups',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
} as const;

/** Creates an HTTP server with request ids, errors, limits, logs and metrics, but without routes. */
export async function createServer(options: ServerOptions): Promise<FastifyInstance> {
  const { baseUrl, log, metrics, limiter, tracing, requestTimeoutMs } = options;
  const fastify = Fastify({
    logger: false,
    trustProxy: options.trustedProxies.length > 0 ? [...options.trustedProxies] : false,
    bodyLimit: options.maxBodyBytes ?? limits.bodyBytes,
    exposeHeadRoutes: true,
    routerOptions: { maxParamLength: 500 },
    // Node would reject a request without Host with its own error format; nothing here depends on Host.
    http: {
      requireHostHeader: false,
      headersTimeout: Math.min(options.headersTimeoutMs ?? 10_000, requestTimeoutMs),
      // How often Node checks for expired header timeouts.
      connectionsCheckingInterval: 1_000,
    },
    // A request that arrives too slowly must not hold a connection open.
    requestTimeout: requestTimeoutMs,
    ...(options.tls && {
      https: { cert: readFileSync(options.tls.certificateFile), key: readFileSync(options.tls.keyFile) },
    }),
    // Requests that cannot be routed, for example a URL with broken escapes.
    frameworkErrors: (_error, request, reply) => {
      request.state ??= new RequestState();
      const { status, body } = renderError(
        new Refusal('invalid_request', 'The address of the request cannot be read.'),
        request.state.requestId,
        baseUrl,
      );
      const headers = { ...everyResponse, 'x-request-id': request.state.requestId };
      (reply as FastifyReply).code(status).headers(headers).send(body);
    },
    clientErrorHandler(_error, socket) {
      if (!socket.writable) return;
      const { requestId } = new RequestState();
      const refusal = new Refusal(
        'invalid_request',
        'This is not a well-formed HTTP request, or its headers are too long.',
      );
      const { status, body } = renderError(refusal, requestId, baseUrl);
      const text = JSON.stringify(body);
      const head = [
        `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
        'Content-Type: application/json; charset=utf-8',
        `Content-Length: ${Buffer.byteLength(text)}`,
        'X-Content-Type-Options: nosniff',
        `X-Request-Id: ${requestId}`,
        'Connection: close',
      ];
      socket.end(`${head.join('\r\n')}\r\n\r\n${text}`);
      // Closes the connection even if the client keeps sending or never hangs up: no other timeout applies to it any more.
      socket.resume();
      const late = setTimeout(() => socket.destroy(), lingerMs).unref();
      socket.once('close', () => clearTimeout(late));
    },
  }) as unknown as FastifyInstance;

  // Answers an unsupported Expect header with our error format instead of Node's.
  fastify.server.on('checkExpectation', (_request, response) => {
    const { requestId } = new RequestState();
    const { status, body } = renderError(
      new Refusal('invalid_request', 'The Expect header asks for what this server does not do.'),
      requestId,
      baseUrl,
    );
    response
      .writeHead(status, {
        ...everyResponse,
        'content-type': 'application/json; charset=utf-8',
        'x-request-id': requestId,
      })
      .end(JSON.stringify(body));
  });

  fastify.decorateRequest('state');
  // Bodies stay bytes here: the operation's schema parses them, and idempotency hashes the exact bytes.
  fastify.removeAllContentTypeParsers();
  const bodies = new BodyReader(options.bodies);
  fastify.addContentTypeParser('*', (request: FastifyRequest, payload: IncomingMessage) =>
    bodies.read(request, payload, request.state.gone),
  );
  if (options.corsOrigins.length > 0) {
    await fastify.register(cors, {
      origin: [...options.corsOrigins],
      credentials: true,
      maxAge: 600,
      exposedHeaders: [
        'x-request-id',
        'retry-after',
        'x-ratelimit-limit',
        'x-ratelimit-remaining',
        'x-ratelimit-reset',
      ],
    });
  }

  fastify.addHook('onRequest', (request, reply, done) => {
    const state = new RequestState();
    request.state = state;
    if (tracing) state.span = tracing.start();
    reply.header('x-request-id', state.requestId);
    reply.headers(everyResponse);
    if (options.tls) reply.header('strict-transport-security', 'max-age=31536000');
    reply.raw.once('close', () => {
      clearTimeout(state.deadline);
      state.leave();
      if (!reply.raw.writableFinished) state.abort();
    });
    done();
  });
  serveInTurn(fastify);
  fastify.addHook('onRequest', (request, reply, done) => {
    request.state.deadline = setTimeout(timeOut, requestTimeoutMs, request.state, reply);
    // Rejected here, before the body of a request to an unknown path is read.
    if (request.is404) refuseUnknownPath(fastify, limiter, request).catch(done);
    else done();
  });

  fastify.addHook('onResponse', (request, reply, done) => {
    const { state } = request;
    const milliseconds = performance.now() - state.startedAt;
    metrics.observe(state, reply.statusCode, milliseconds);
    if (reply.statusCode >= 400 && isFromProvider(request))
      metrics.countRefusedWebhook(getChannel(request), reply.statusCode);
    if (state.span) tracing?.end(state.span, state, request.method, reply.statusCode);
    log.request(state, request.method, reply.statusCode, milliseconds);
    done();
  });

  fastify.setErrorHandler((error, request, reply) => {
    const refusal = asRefusal(error);
    const { state } = request;
    if (!(refusal instanceof Refusal)) log.failure(state, refusal);
    else if (refusal.internal) log.note(state, refusal.internal);
    const render = state.route?.errors === 'oauth' ? renderOAuthError : renderError;
    const { status, code, body, headers } = render(refusal, state.requestId, baseUrl);
    state.errorCode = code;
    if (code === 'not_found' && wantsNotFoundPage(request)) return sendNotFoundPage(request, reply);
    return reply.code(status).headers(headers).type('application/json; charset=utf-8').send(JSON.stringify(body));
  });

  fastify.setNotFoundHandler((request) => refuseUnknownPath(fastify, limiter, request));
  return fastify;
}

function timeOut(state: RequestState, reply: FastifyReply): void {
  state.abort();
  if (reply.sent) return;
  reply.send(
    new Refusal('service_unavailable', 'This took too long and was given up. Send it again in a moment.', {
      headers: { 'retry-after': '5' },
    }),
  );
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

async function refuseUnknownPath(
  fastify: FastifyInstance,
  limiter: RateLimiter,
  request: FastifyRequest,
): Promise<never> {
  const verdict = await countRefusal(limiter, request.ip);
  if (!verdict.allowed) throw tooMany(verdict);
  const path = request.url.split('?', 1)[0] ?? '';
  const served = methods.filter((method) => fastify.findRoute({ method, url: path }));
  if (served.length > 0) {
    // The specification has no 405: an unsupported method is 404 as well.
    throw new Refusal('not_found', `This address takes ${served.join(', ')}. Check the method against /docs.`, {
      headers: { allow: served.join(', ') },
    });
  }
  throw new Refusal('not_found', 'There is nothing at this address. Check method and path against /docs.');
}

/** Maps errors that Fastify raises before a handler runs, and lost database connections, to API errors. */
function asRefusal(error: unknown): unknown {
  if (error instanceof Refusal) return error;
  const { code } = error as Partial<FastifyError>;
  if (code?.startsWith('FST_ERR_CTP'))
    return new Refusal('invalid_request', 'The body or its Content-Type cannot be read.');
  return awayAsRefusal(error);
}

/** Reads the channel from the URL. Unknown values share one label, so that callers cannot create any number of metric labels. */
const getChannel = ({ params }: FastifyRequest): string =>
  Channel.safeParse((params as { readonly channel?: string } | undefined)?.channel).data ?? 'unknown';
