import { type Answer, type Route, withoutSecrets } from '@tributary/contract';
import { type Ledger, switchScope, type TenantScope, type Tx } from '@tributary/postgres';
import { addressGroup, hashValue } from '@tributary/redis';
import type { Answered, AuditNote } from './audit.ts';
import { actorOf, entryOf, leavesEntry, logOf } from './audit-entry.ts';
import type { Call, OperationDeps, RawInput } from './call.ts';
import type { Meter } from './costs.ts';
import { type DisclosedKeys, type KeyToShow, keyFor } from './customer-key.ts';
import type { Caller, Context } from './handler.ts';
import {
  claimKey,
  findStoredAnswer,
  type IdempotentRequest,
  readIdempotentRequest,
  type StoredAnswer,
  storeAnswer,
} from './idempotency.ts';
import { refuse } from './refusal.ts';

/** One running call: its context, its effect, and the stored answer. */
export class Work<Services> {
  readonly #route: Route;
  readonly #params: unknown;
  readonly #call: Call;
  readonly #desk: OperationDeps<Services>;
  readonly #caller: Caller;
  readonly #wall: TenantScope;
  readonly #ledger: Ledger;
  readonly #idempotent: IdempotentRequest | undefined;
  #rendered: Rendered | undefined;
  #note: AuditNote = {};
  #hadEffect = false;
  /** The customers that the answer contains. */
  readonly people = new Set<string>();
  /** Undefined if the response contains no customer keys. */
  disclosedKeys: DisclosedKeys | undefined;
  readonly meter: Meter;
  /** Headers added by the handler, and the marker of a replayed answer. */
  readonly headers: Record<string, string> = {};

  constructor(route: Route, input: WorkInput, call: Call, sent: RawInput, desk: OperationDeps<Services>, meter: Meter) {
    this.meter = meter;
    this.#route = route;
    this.#params = input.params;
    this.#call = call;
    this.#desk = desk;
    this.#caller = call.caller ?? anonymous;
    const onHomeServer = route.access.grain === 'account';
    this.#wall = { ...getTenantScope(route, this.#caller), near: tenantIn(input), onHomeServer };
    this.#ledger = desk.postgres.withScope(this.#wall);
    this.#idempotent = readKey(route, call, sent, this.#caller);
  }

  async run(
    handler: (context: Context & Services) => Promise<{ status: number; body: unknown }>,
  ): Promise<StoredAnswer> {
    const idempotent = this.#idempotent;
    if (idempotent) {
      const earlier = await this.#ledger.transaction((tx) => this.#find(tx, idempotent));
      if (earlier) return this.#replay(earlier);
    }
    try {
      const answer = await handler(this.#context());
      if (!this.#hadEffect && leavesEntry(this.#route.audit, answer))
        throw new Error(`${this.#route.id} answered as if it had changed something, and left no audit entry.`);
      if (this.#rendered) return this.#rendered;
      const fresh = this.meter.measure(() => this.#render(answer));
      // Nothing was changed, but a repeat with the same key must get the same answer.
      if (idempotent) await this.#ledger.transaction((tx) => this.#keep(tx, idempotent, fresh));
      return fresh;
    } catch (error) {
      if (error instanceof Replay) return this.#replay(error.answer);
      throw error;
    }
  }

  #context(): Context & Services {
    const call = this.#call;
    return {
      ...this.#desk.services,
      requestId: call.requestId,
      now: call.now,
      caller: this.#caller,
      ledger: this.#ledger,
      get signal() {
        return call.signal;
      },
      behind: (wall) => this.#desk.postgres.withScope(wall),
      servers: this.#desk.postgres,
      authorization: call.authorization,
      cookie: call.cookie,
      get addressHash() {
        return hashValue(addressGroup(call.address).own);
      },
      effect: (work, near) => this.#effect(work, near),
      requestKey: this.#idempotent,
      canShareEffect: this.#idempotent === undefined && typeof this.#route.audit !== 'object',
      addToAudit: (note) => {
        this.#note = { ...this.#note, ...note };
      },
      setHeader: (name, value) => {
        this.headers[name] = value;
      },
      mentions: (customerId) => {
        this.people.add(customerId);
      },
      showKey: (key) => this.#showKey(key),
    };
  }

  #showKey(asked: KeyToShow): string | null {
    const key = keyFor(this.#caller, asked);
    if (key === null || key === asked.said) return key;
    this.disclosedKeys ??= { profileId: asked.profileId, people: new Set() };
    this.disclosedKeys.people.add(asked.of);
    return key;
  }

  #effect<A extends Answered>(work: (tx: Tx) => Promise<A>, near?: string): Promise<A> {
    const idempotent = this.#idempotent;
    if (!idempotent) {
      const ledger = near === undefined ? this.#ledger : this.#desk.postgres.withScope({ near });
      return ledger.transaction((tx) => this.#audited(tx, work));
    }
    return this.#ledger.transaction(async (tx) => {
      await claimKey(tx, idempotent);
      const earlier = await this.#find(tx, idempotent);
      if (earlier) throw new Replay(earlier);
      const answer = await this.#audited(tx, work);
      const rendered = this.meter.measure(() => this.#render(answer));
      // The work may have switched to another tenant scope; the answer is stored in the caller's.
      await switchScope(tx, this.#wall);
      await this.#keep(tx, idempotent, rendered);
      this.#rendered = rendered;
      return answer;
    });
  }

  /** Runs the work and writes its audit entry, in the tenant scope that the work has switched to. */
  async #audited<A extends Answered>(tx: Tx, work: (tx: Tx) => Promise<A>): Promise<A> {
    const [route, caller, { requestId, now: at }] = [this.#route, this.#caller, this.#call];
    const answer = await work(tx);
    const done = { params: this.#params, caller, answer, note: this.#note, requestId, at };
    const entry = entryOf(route, { ...done, actor: actorOf(caller), log: logOf(route, caller) });
    if (entry) await this.#desk.audit(tx, entry);
    this.#hadEffect = true;
    return answer;
  }

  #find(tx: Tx, idempotent: IdempotentRequest): Promise<StoredAnswer | undefined> {
    return findStoredAnswer(tx, idempotent, this.#call.now, this.#desk.vault);
  }

  #keep(tx: Tx, idempotent: IdempotentRequest, { storedAnswer }: Rendered): Promise<void> {
    return storeAnswer(tx, idempotent, this.#caller, storedAnswer, this.#call.now, this.#desk);
  }

  #replay(answer: StoredAnswer): StoredAnswer {
    this.headers['idempotent-replayed'] = 'true';
    for (const customerId of answer.people) this.people.add(customerId);
    return answer;
  }

  /** The bytes to send: the handler's answer, with the profile or workspace in its meta. */
  #render({ status, body }: { status: number; body: unknown }): Rendered {
    const declared = this.#route.answers[status];
    if (!declared) throw new Error(`${this.#route.id} answered ${status}, which it does not declare.`);
    const whole = declared.bare ? body : this.#withOwner(body as { meta?: object });
    const stripped = withoutSecrets(declared, whole);
    if (this.#desk.checkAnswers)
      for (const sent of new Set([whole, stripped])) assertDeclared(this.#route, declared, sent);
    const bytes = toText(whole);
    const people = [...this.people];
    const storedAnswer = { status, bytes: stripped === whole ? bytes : toText(stripped), people };
    return { status, bytes, people, storedAnswer };
  }

  #withOwner(body: { meta?: object }): object {
    return { ...body, meta: { ...ownerOf(this.#route, this.#caller), ...body.meta } };
  }
}

/** An answer, and the version stored for repeated requests, which contains no secrets. */
interface Rendered extends StoredAnswer {
  readonly storedAnswer: StoredAnswer;
}

const toText = (body: unknown): string => (typeof body === 'string' ? body : JSON.stringify(body));

function ownerOf({ access }: Route, { profileId, workspaceId }: Caller): object {
  if (access.grain === 'account') return {};
  return access.grain === 'workspace' ? { workspace_id: workspaceId } : { profile_id: profileId };
}

/** Aborts the transaction of a repeated request without an effect. */
class Replay extends Error {
  readonly answer: StoredAnswer;
  constructor(answer: StoredAnswer) {
    super('replay');
    this.answer = answer;
  }
}

const anonymous: Caller = {
  kind: 'public',
  credentialId: 'public',
  scopes: new Set(),
  isEntitled: false,
  isHealthcare: true,
  requestsPerMinute: 0,
  recheck: async () => undefined,
};

const getTenantScope = ({ access }: Route, { profileId, workspaceId, appId }: Caller) =>
  profileId && access.grain !== 'workspace'
    ? { profileId }
    : { workspaceId, ...(profileId === undefined && { appId }) };

/** The input that determines the tenant scope before the handler runs. */
interface WorkInput {
  readonly params: unknown;
  readonly body: unknown;
}

/** The profile or workspace that a request names, for a caller without one. */
function tenantIn({ params, body }: WorkInput): string | undefined {
  const named = { ...(isObject(body) && body), ...(isObject(params) && params) } as Record<string, unknown>;
  const ids = [named.profileId, named.workspaceId, named.workspace_id, named.profile_id];
  return ids.find((id): id is string => typeof id === 'string');
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const keyPattern = /^[\x21-\x7e]{1,255}$/;

function readKey(
  route: Route,
  { idempotencyKey: key }: Call,
  { target, body }: RawInput,
  caller: Caller,
): IdempotentRequest | undefined {
  if (route.idempotency !== 'required' && route.idempotency !== 'accepted') return undefined;
  if (key === undefined && route.idempotency === 'accepted') return undefined;
  if (key === undefined || !keyPattern.test(key)) {
    refuse(
      'invalid_parameter',
      'The header "Idempotency-Key" must be 1 to 255 printable characters, new for each new request.',
      { fields: { field: 'Idempotency-Key' } },
    );
  }
  const { profileId, appId, workspaceId } = caller;
  const ownerId = route.access.grain === 'workspace' ? (workspaceId ?? appId) : (profileId ?? appId ?? workspaceId);
  return ownerId ? readIdempotentRequest(ownerId, caller, key, route.method, target, body) : undefined;
}

function assertDeclared(route: Route, declared: Answer, body: unknown): void {
  const parsed = declared.schema.safeParse(body);
  if (parsed.success) return;
  const [issue] = parsed.error.issues;
  throw new Error(`${route.id} answered off its declaration: ${issue?.path.join('.')} ${issue?.message}`);
}
