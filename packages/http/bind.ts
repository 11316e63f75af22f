import { type Answer, errorEntry, type Route } from '@tributary/contract';
import {
  admit,
  type Caller,
  type Context,
  claimKey,
  countRefusal,
  deprecationHeaders,
  findStoredAnswer,
  type IdempotentRequest,
  parseBody,
  parseParams,
  parseQuery,
  passPersonGate,
  Refusal,
  rateHeaders,
  readIdempotentRequest,
  recordRefusedRead,
  refuse,
  type StoredAnswer,
  storeAnswer,
  takeAllowance,
} from '@tributary/operations';
import { enter, type Ledger, type Postgres, type Tx, type Wall } from '@tributary/postgres';
import type { RateLimiter } from '@tributary/redis';
import type { Vault } from '@tributary/vault';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { refuseForgery } from './forgery.ts';
import type { RequestState } from './request-state.ts';

/** What a request shows of who sends it; domain/credentials and domain/accounts make a caller of it, or not. */
export interface Presented {
  readonly authorization: string | undefined;
  readonly cookie: string | undefined;
  /** A console session belongs to a person, who says for which profile they act, or in which workspace. */
  readonly profileId: string | undefined;
  readonly workspaceId: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

export type Authenticate = (presented: Presented, now: Date) => Promise<Caller | undefined>;

export type AuditRefusal = (
  route: Route,
  caller: Caller,
  refusal: Refusal,
  requestId: string,
  now: Date,
) => Promise<void>;

type AnyHandler = (input: never, context: never) => Promise<{ status: number; body: unknown }>;

export interface Binding<Services> {
  readonly fastify: FastifyInstance;
  readonly authenticate: Authenticate;
  readonly postgres: Postgres;
  readonly limiter: RateLimiter;
  readonly vault: Vault;
  readonly services: Services;
  readonly baseUrl: string;
  readonly now: () => Date;
  /** Keeps a forbidden attempt in the caller's audit log. */
  readonly auditRefusal: AuditRefusal;
  /** Holds every answer against its declaration before it leaves. For tests: a wrong one becomes a 500. */
  readonly checkAnswers?: boolean;
}

/** Serves a declared route: all that the declaration says happens here, in this order, and nowhere else. */
export function bindRoute<Services>(binding: Binding<Services>, route: Route, handler: AnyHandler): void {
  const { fastify, limiter } = binding;
  fastify.route({
    method: route.method,
    url: route.path.replace(/\{(\w+)\}/g, ':$1'),
    ...(route.body?.maxBytes && { bodyLimit: route.body.maxBytes }),
    handler: async (request, reply) => {
      const state = request.state;
      state.route = route;
      const now = binding.now();
      const caller = await identify(binding, route, request, now);
      state.caller = caller;
      const verdict = await takeAllowance(limiter, route, caller, request.ip);
      reply.headers(rateHeaders(verdict));
      reply.headers(deprecationHeaders(route, now, binding.baseUrl));
      const answer = await auditing(binding, route, state, now, () =>
        serve(binding, route, handler, request, reply, now),
      );
      return send(reply, route, answer);
    },
  });
}

async function serve<Services>(
  binding: Binding<Services>,
  route: Route,
  handler: AnyHandler,
  request: FastifyRequest,
  reply: FastifyReply,
  now: Date,
): Promise<StoredAnswer> {
  const { state } = request;
  const { caller } = state;
  if (caller?.kind === 'session') refuseForgery(request.method, request.headers, binding.baseUrl);
  if (caller) await admitOrRecord(binding, route, caller, state.requestId, now);
  const input = {
    params: parseParams(route, request.params),
    query: parseQuery(route, request.query),
    body: parseBody(route, request.body as Buffer | undefined, request.headers['content-type']),
  };
  const work = new Work(binding, route, request, state, caller ?? nobody, now);
  const answer = await work.run(async (context) => {
    try {
      return await handler(input as never, context as never);
    } catch (error) {
      // A selector may need more than the route itself does.
      if (caller && isForbidden(error)) await recordRefused(binding, route, caller, state.requestId, now);
      throw error;
    }
  });
  if (caller && route.access.grain === 'person') {
    // A process that was too busy to hear that the bytes are with the socket has nothing to take back.
    const giveUp = () => reply.raw.writableFinished || reply.raw.destroy();
    const release = await passPersonGate(binding.postgres, route, caller, work.people, state.requestId, now, giveUp);
    // Whoever hung up before this point is told nothing more, and no further close will come.
    if (reply.raw.closed) release();
    else reply.raw.once('close', release);
  }
  return answer;
}

/** What is forbidden is answered only after the attempt is in the log. */
async function auditing<A>(
  { auditRefusal }: Pick<Binding<unknown>, 'auditRefusal'>,
  route: Route,
  { caller, requestId }: RequestState,
  now: Date,
  work: () => Promise<A>,
): Promise<A> {
  try {
    return await work();
  } catch (error) {
    if (caller && isForbidden(error)) {
      await auditRefusal(route, caller, error, requestId, now);
    }
    throw error;
  }
}

const isForbidden = (error: unknown): error is Refusal =>
  error instanceof Refusal && errorEntry(error.code).status === 403;

async function identify(
  { authenticate, limiter }: Binding<unknown>,
  route: Route,
  request: FastifyRequest,
  now: Date,
): Promise<Caller | undefined> {
  // A client id and secret may stand in the body, so the token route looks for itself.
  const { credentials } = route.access;
  const isPublic = credentials.includes('public');
  if (credentials.includes('client_secret') || (isPublic && credentials.length === 1)) return undefined;
  const { authorization, cookie, 'x-profile-id': profileId, 'x-workspace-id': workspaceId } = request.headers;
  const { workspaceId: inPath } = request.params as { workspaceId?: string };
  const presented = {
    authorization,
    cookie,
    profileId: typeof profileId === 'string' ? profileId : undefined,
    workspaceId: inPath ?? (typeof workspaceId === 'string' ? workspaceId : undefined),
    headers: request.headers,
  };
  const caller = authorization || cookie ? await authenticate(presented, now) : undefined;
  // Where a credential may be left out, a dead one counts as none.
  if (caller || isPublic) return caller;
  await countRefusal(limiter, request.ip);
  return refuse(
    'unauthorized',
    'No valid credential came with the request. Send a live key as "Authorization: Bearer <key>".',
    {
      headers: { 'www-authenticate': 'Bearer' },
    },
  );
}

async function admitOrRecord(
  binding: Binding<unknown>,
  route: Route,
  caller: Caller,
  requestId: string,
  now: Date,
): Promise<void> {
  try {
    admit(route, caller);
  } catch (refusal) {
    await recordRefused(binding, route, caller, requestId, now);
    throw refusal;
  }
}

/** A refused attempt to read people is part of the log of who read people. */
async function recordRefused(
  { postgres }: Binding<unknown>,
  route: Route,
  caller: Caller,
  requestId: string,
  now: Date,
): Promise<void> {
  if (route.access.grain === 'person') await recordRefusedRead(postgres, route, caller, requestId, now);
}

/** One request at work: its context, its one effect, and what is kept of its answer. */
class Work<Services> {
  readonly #binding: Binding<Services>;
  readonly #route: Route;
  readonly #state: RequestState;
  readonly #caller: Caller;
  readonly #now: Date;
  readonly #wall: Wall;
  readonly #ledger: Ledger;
  readonly #authorization: string | undefined;
  readonly #idempotent: IdempotentRequest | undefined;
  readonly people = new Set<string>();
  #kept: StoredAnswer | undefined;

  constructor(
    binding: Binding<Services>,
    route: Route,
    request: FastifyRequest,
    state: RequestState,
    caller: Caller,
    now: Date,
  ) {
    this.#binding = binding;
    this.#route = route;
    this.#state = state;
    this.#caller = caller;
    this.#now = now;
    this.#wall = wallOf(route, caller);
    this.#ledger = binding.postgres.behind(this.#wall);
    this.#authorization = request.headers.authorization;
    this.#idempotent = readKey(route, request, caller);
  }

  async run(
    handler: (context: Context & Services) => Promise<{ status: number; body: unknown }>,
  ): Promise<StoredAnswer> {
    const { vault } = this.#binding;
    const idempotent = this.#idempotent;
    if (idempotent) {
      const earlier = await this.#ledger.transaction((tx) => findStoredAnswer(tx, idempotent, this.#now, vault));
      if (earlier) return this.#replay(earlier);
    }
    try {
      const answer = await handler(this.#context());
      if (this.#kept) return this.#kept;
      const fresh = this.#render(answer);
      // Nothing was changed, but the same key must still give the same answer.
      if (idempotent) await this.#ledger.transaction((tx) => this.#keep(tx, idempotent, fresh));
      return fresh;
    } catch (error) {
      if (error instanceof Replay) return this.#replay(error.answer);
      throw error;
    }
  }

  #context(): Context & Services {
    const state = this.#state;
    return {
      ...this.#binding.services,
      requestId: this.#state.requestId,
      now: this.#now,
      caller: this.#caller,
      ledger: this.#ledger,
      get signal() {
        return state.signal;
      },
      behind: (wall) => this.#binding.postgres.behind(wall),
      authorization: this.#authorization,
      effect: (work) => this.#effect(work),
      setHeader: (name, value) => {
        state.headers[name] = value;
      },
      mentions: (customerId) => {
        this.people.add(customerId);
      },
    };
  }

  #effect<A>(work: (tx: Tx) => Promise<A>): Promise<A> {
    const idempotent = this.#idempotent;
    if (!idempotent) return this.#ledger.transaction(work);
    return this.#ledger.transaction(async (tx) => {
      await claimKey(tx, idempotent);
      const earlier = await findStoredAnswer(tx, idempotent, this.#now, this.#binding.vault);
      if (earlier) throw new Replay(earlier);
      const answer = await work(tx);
      const rendered = this.#render(answer as { status: number; body: unknown });
      // The work may have gone behind another wall; the answer belongs to whoever asked.
      await enter(tx, this.#wall);
      await this.#keep(tx, idempotent, rendered);
      this.#kept = rendered;
      return answer;
    });
  }

  #keep(tx: Tx, idempotent: IdempotentRequest, answer: StoredAnswer): Promise<void> {
    return storeAnswer(tx, idempotent, answer, this.people, this.#now, this.#binding.vault);
  }

  #replay(answer: StoredAnswer): StoredAnswer {
    this.#state.replayed = true;
    return answer;
  }

  /** The bytes that leave: the handler's answer, and who it was answered for. */
  #render({ status, body }: { status: number; body: unknown }): StoredAnswer {
    const declared = this.#route.answers[status];
    if (!declared) throw new Error(`${this.#route.id} answered ${status}, which it does not declare.`);
    const whole = declared.bare ? body : this.#withOwner(body as { meta?: object });
    if (this.#binding.checkAnswers) hold(this.#route, declared, whole);
    return { status, bytes: typeof whole === 'string' ? whole : JSON.stringify(whole) };
  }

  #withOwner(body: { meta?: object }): object {
    return { ...body, meta: { ...ownerOf(this.#route, this.#caller), ...body.meta } };
  }
}

function ownerOf({ access }: Route, { profileId, workspaceId }: Caller): object {
  if (access.grain === 'account') return {};
  return access.grain === 'workspace' ? { workspace_id: workspaceId } : { profile_id: profileId };
}

/** Ends the transaction of a repeated request without an effect. */
class Replay extends Error {
  readonly answer: StoredAnswer;
  constructor(answer: StoredAnswer) {
    super('replay');
    this.answer = answer;
  }
}

const nobody: Caller = {
  kind: 'public',
  credentialId: 'public',
  scopes: new Set(),
  isEntitled: false,
  isHealthcare: true,
  requestsPerMinute: 0,
  recheck: async () => undefined,
};

const wallOf = ({ access }: Route, { profileId, workspaceId, appId }: Caller) =>
  profileId && access.grain !== 'workspace'
    ? { profileId }
    : { workspaceId, ...(profileId === undefined && { appId }) };

const keyPattern = /^[\x21-\x7e]{1,255}$/;

function readKey(
  route: Route,
  request: FastifyRequest,
  { profileId, appId, workspaceId }: Caller,
): IdempotentRequest | undefined {
  if (route.idempotency !== 'required' && route.idempotency !== 'accepted') return undefined;
  const key = request.headers['idempotency-key'];
  if (key === undefined && route.idempotency === 'accepted') return undefined;
  if (typeof key !== 'string' || !keyPattern.test(key)) {
    refuse(
      'invalid_parameter',
      'The header "Idempotency-Key" must be 1 to 255 printable characters, new for each new request.',
      {
        fields: { field: 'Idempotency-Key' },
      },
    );
  }
  const ownerId = route.access.grain === 'workspace' ? (workspaceId ?? appId) : (profileId ?? appId ?? workspaceId);
  if (!ownerId) return undefined;
  return readIdempotentRequest(ownerId, key, route.method, request.url, request.body as Buffer | undefined);
}

function hold(route: Route, declared: Answer, body: unknown): void {
  const parsed = declared.schema.safeParse(body);
  if (parsed.success) return;
  const [issue] = parsed.error.issues;
  throw new Error(`${route.id} answered off its declaration: ${issue?.path.join('.')} ${issue?.message}`);
}

function send(reply: FastifyReply, route: Route, { status, bytes }: StoredAnswer): FastifyReply {
  reply.code(status).header('content-type', route.answers[status]?.contentType ?? 'application/json; charset=utf-8');
  reply.headers(reply.request.state.headers);
  if (reply.request.state.replayed) reply.header('idempotent-replayed', 'true');
  return reply.send(bytes);
}
