import type { Route } from '@tributary/contract';
import type { Postgres } from '@tributary/postgres';
import type { RateLimiter } from '@tributary/redis';
import type { Vault } from '@tributary/vault';
import type { WriteAudit } from './audit.ts';
import type { BodyThread } from './body-thread.ts';
import type { Costs } from './costs.ts';
import type { FairScheduler } from './fair-scheduler.ts';
import type { Caller } from './handler.ts';
import type { PersonGate } from './person-gate.ts';
import type { Refusal } from './refusal.ts';

/**
 * One call of an operation, as whatever carried it here hands it over: HTTP, MCP, the command line or a test. What it asks for comes
 * apart, once it is admitted: a body is not read before.
 */
export interface Call {
  /** Undefined where the route needs nobody. */
  readonly caller: Caller | undefined;
  /** Where it came from: whoever is not known is counted by it. */
  readonly address: string;
  readonly idempotencyKey?: string | undefined;
  /** The header as it came, for the one route that reads a client id and secret from it. */
  readonly authorization?: string | undefined;
  /** The same, for those routes that replace the session. */
  readonly cookie?: string | undefined;
  readonly requestId: string;
  readonly now: Date;
  /** Aborted when the caller has gone or the time is up. */
  readonly signal: AbortSignal;
  /** What the carrier itself must refuse, before anything is looked at: over HTTP, a request that another page forged. */
  precheck?(): void;
  /** Headers that go along with whatever is answered, a refusal too. */
  tell?(headers: Readonly<Record<string, string>>): void;
}

/** What was sent, before it was held against the declaration. */
export interface RawInput {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: Buffer | undefined;
  readonly contentType: string | undefined;
  /** Path and query as they were asked for: under an Idempotency-Key the same request has the same. */
  readonly target: string;
}

/** What every operation of a process is run with. */
export interface Desk<Services> {
  readonly postgres: Postgres;
  readonly limiter: RateLimiter;
  readonly vault: Vault;
  readonly gate: PersonGate;
  readonly services: Services;
  readonly baseUrl: string;
  /** Writes what a change leaves in the audit log. */
  readonly audit: WriteAudit;
  /** Keeps a forbidden attempt in the caller's audit log. */
  readonly auditRefusal: AuditRefusal;
  /** Budgets of bytes and processor time. Without them, only the number of requests is limited. */
  readonly costs?: Costs;
  /** Limits concurrent requests per tenant. Without it, all requests start at once. */
  readonly scheduler?: FairScheduler;
  /** Parses large bodies. Without it, they are parsed on the main thread. */
  readonly bodies?: BodyThread;
  /** Holds every answer against its declaration before it leaves. For tests: a wrong one becomes a 500. */
  readonly checkAnswers?: boolean;
}

export type AuditRefusal = (
  route: Route,
  caller: Caller,
  refusal: Refusal,
  requestId: string,
  now: Date,
) => Promise<void>;

export type AnyHandler = (input: never, context: never) => Promise<{ status: number; body: unknown }>;

/** An answer that is ready to leave. */
export interface Prepared {
  readonly status: number;
  readonly bytes: string;
  /** The bytes are written as base64, and leave as what they are. */
  readonly isBase64?: boolean;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Hands an answer to whoever called. One that names people comes with a signal: then it is done when the bytes have left, and
 * once the signal is aborted no further byte may leave.
 */
export type SendAnswer = (prepared: Prepared, cut?: AbortSignal) => Promise<void> | void;
