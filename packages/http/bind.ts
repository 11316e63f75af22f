import type { ServerResponse } from 'node:http';
import type { Route } from '@tributary/contract';
import {
  type Admitted,
  type AnyHandler,
  type Authenticate,
  admitCall,
  type Desk,
  type Door,
  identify,
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

export interface Binding<Services> extends Desk<Services> {
  readonly fastify: FastifyInstance;
  readonly authenticate: Authenticate;
  readonly door: Door;
  readonly now: () => Date;
}

/** Serves a declared operation over HTTP: reads the request, runs the operation, sends what it answers. */
export function bindRoute<Services>(binding: Binding<Services>, route: Route, handler: AnyHandler): void {
  let document: Promise<StaticDocument> | undefined;
  binding.fastify.route({
    method: route.method,
    url: route.path.replace(/\{(\w+)\}/g, ':$1'),
    ...(route.body?.maxBytes && { bodyLimit: route.body.maxBytes }),
    // Before the body is read: nobody's is kept in memory who may not send it.
    onRequest: async (request, reply) => {
      const { state, ip: address } = request;
      state.route = route;
      const now = binding.now();
      state.caller = await identify(binding, route, presentedBy(request), address, now);
      state.admitted = await admitCall(route, callOf(request, reply, binding.baseUrl, now), binding);
    },
    handler: async (request, reply) => {
      const { admitted } = request.state;
      if (!admitted) throw new Error(`${route.id} was reached without admission.`);
      // A request with parameters falls through to validation, which rejects it.
      if (route.isDocument && Object.keys(request.query as object).length === 0) {
        document ??= documentOf(binding, route, handler, admitted, inputOf(request));
        document.catch(() => {
          document = undefined;
        });
        return sendDocument(request, reply, await document, documentHeaders, (bytes) =>
          binding.costs?.takeBytes(payerOf(request.state.caller, request.ip), bytes),
        );
      }
      const sending: SendAnswer = (prepared, cut) => send(reply, prepared, cut);
      await runOperation(route, handler, admitted, inputOf(request), binding, sending);
      return reply;
    },
  });
}

const documentHeaders = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'public, max-age=300',
};

async function documentOf<Services>(
  desk: Desk<Services>,
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

function presentedBy({ headers, params }: FastifyRequest) {
  const { authorization, cookie, 'x-profile-id': profileId, 'x-workspace-id': workspaceId } = headers;
  const { workspaceId: inPath } = params as { workspaceId?: string };
  return {
    authorization,
    cookie,
    profileId: typeof profileId === 'string' ? profileId : undefined,
    workspaceId: inPath ?? (typeof workspaceId === 'string' ? workspaceId : undefined),
  };
}

const inputOf = ({ params, query, body, headers, url }: FastifyRequest) => ({
  params,
  query,
  body: body as Buffer | undefined,
  contentType: headers['content-type'],
  target: url,
});

function callOf(request: FastifyRequest, reply: FastifyReply, baseUrl: string, now: Date) {
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
    tell: (told: Readonly<Record<string, string>>) => void reply.headers(told),
  };
}

/** Resolves at once, or, given a signal, when the bytes are with the socket. */
function send(reply: FastifyReply, { status, bytes, isBase64, headers }: Prepared, cut: AbortSignal | undefined) {
  const body = isBase64 ? Buffer.from(bytes, 'base64') : bytes;
  // The time was up, and that is what was answered.
  if (reply.sent) return;
  reply.code(status).headers(headers);
  if (!cut) return void reply.send(body);
  const left = untilLeft(reply.raw, cut);
  reply.send(body);
  return left;
}

/** Resolves when the bytes of an answer are with the socket, or will not be; once `cut` is aborted, no further one leaves. */
export function untilLeft(raw: ServerResponse, cut: AbortSignal): Promise<void> {
  const left = new Promise<void>((resolve) => {
    // Whoever hung up before this point is told nothing more, and no further close will come.
    if (raw.closed) resolve();
    else raw.once('close', resolve);
  });
  // A process that was too busy to hear that the bytes are with the socket has nothing to take back.
  cut.addEventListener('abort', () => raw.writableFinished || raw.destroy());
  return left;
}
