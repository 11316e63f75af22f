import type { ServerResponse } from 'node:http';
import type { Route } from '@tributary/contract';
import {
  type Admitted,
  type AnyHandler,
  type AttemptLimiter,
  type Authenticate,
  admitCall,
  identify,
  type OperationDeps,
  type Prepared,
  payerOf,
  type RawInput,
  runOperation,
  type SendAnswer,
} from '@tributary/operations';
import { packDocument, type StaticDocument } from '@tributary/pages';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { refuseForgery } from './forgery.ts';
import { sendDocument } from './send-document.ts';

export interface Binding<Services> extends OperationDeps<Services> {
  readonly fastify: FastifyInstance;
  readonly authenticate: Authenticate;
  readonly door: AttemptLimiter;
  readonly now: () => Date;
}

/** Serves a declared operation over HTTP: reads the request, runs the operation and sends its response. */
export function bindRoute<Services>(binding: Binding<Services>, route: Route, handler: AnyHandler): void {
  let document: Promise<StaticDocument> | undefined;
  binding.fastify.route({
    method: route.method,
    url: route.path.replace(/\{(\w+)\}/g, ':$1'),
    ...(route.body?.maxBytes && { bodyLimit: route.body.maxBytes }),
    // Runs before the body is read, so that the bodies of unauthorized requests are never buffered.
    onRequest: async (request, reply) => {
      const { state, ip: address } = request;
      state.route = route;
      const now = binding.now();
      state.caller = await identify(binding, route, getCredentials(request), address, now);
      state.admitted = await admitCall(route, getCall(request, reply, binding.baseUrl, now), binding);
    },
    handler: async (request, reply) => {
      const { admitted } = request.state;
      if (!admitted) throw new Error(`${route.id} was reached without admission.`);
      // A request with parameters falls through to validation, which rejects it.
      if (route.isDocument && Object.keys(request.query as object).length === 0) {
        document ??= renderDocument(binding, route, handler, admitted, getInput(request));
        document.catch(() => {
          document = undefined;
        });
        return sendDocument(request, reply, await document, documentHeaders, (bytes) =>
          binding.costs?.takeBytes(payerOf(request.state.caller, request.ip), bytes),
        );
      }
      const sendPrepared: SendAnswer = (prepared, cut) => send(reply, prepared, cut);
      await runOperation(route, handler, admitted, getInput(request), binding, sendPrepared);
      return reply;
    },
  });
}

const documentHeaders = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'public, max-age=300',
};

async function renderDocument<Services>(
  desk: OperationDeps<Services>,
  route: Route,
  handler: AnyHandler,
  admitted: Admitted,
  input: RawInput,
): Promise<StaticDocument> {
  let bytes = '';
  await runOperation(route, handler, admitted, input, desk, (prepared) => {
    bytes = prepared.bytes;
  });
  return packDocument(bytes);
}

function getCredentials({ headers, params }: FastifyRequest) {
  const { authorization, cookie, 'x-profile-id': profileId, 'x-workspace-id': workspaceId } = headers;
  const { workspaceId: inPath } = params as { workspaceId?: string };
  return {
    authorization,
    cookie,
    profileId: typeof profileId === 'string' ? profileId : undefined,
    workspaceId: inPath ?? (typeof workspaceId === 'string' ? workspaceId : undefined),
  };
}

const getInput = ({ params, query, body, headers, url }: FastifyRequest) => ({
  params,
  query,
  body: body as Buffer | undefined,
  contentType: headers['content-type'],
  target: url,
});

function getCall(request: FastifyRequest, reply: FastifyReply, baseUrl: string, now: Date) {
  const { state, headers } = request;
  const { caller } = state;
  const key = headers['idempotency-key'];
  return {
    caller,
    address: request.ip,
    idempotencyKey: typeof key === 'string' ? key : undefined,
    authorization: headers.authorization,
    cookie: headers.cookie,
    requestId: state.requestId,
    now,
    get signal() {
      return state.signal;
    },
    precheck() {
      if (caller?.kind === 'session') refuseForgery(request.method, headers, baseUrl);
    },
    setHeaders: (headers: Readonly<Record<string, string>>) => void reply.headers(headers),
  };
}

/** Resolves at once. With a signal, resolves when the response bytes have been handed to the socket. */
function send(reply: FastifyReply, { status, bytes, isBase64, headers }: Prepared, cut: AbortSignal | undefined) {
  const body = isBase64 ? Buffer.from(bytes, 'base64') : bytes;
  // The request timed out, and the client has already received that error.
  if (reply.sent) return;
  reply.code(status).headers(headers);
  if (!cut) return void reply.send(body);
  const sent = untilSent(reply.raw, cut);
  reply.send(body);
  return sent;
}

/**
 * Resolves when the response is handed to the socket or can no longer be sent. Aborting `cut` destroys a response that is still
 * being sent.
 */
export function untilSent(raw: ServerResponse, cut: AbortSignal): Promise<void> {
  const sent = new Promise<void>((resolve) => {
    // If the client hung up earlier, no further `close` event will come.
    if (raw.closed) resolve();
    else raw.once('close', resolve);
  });
  // A finished response must not be destroyed, even if this process was too busy to see its `close` event.
  cut.addEventListener('abort', () => raw.writableFinished || raw.destroy());
  return sent;
}
