import type { Route } from '@tributary/contract';
import type { Postgres } from '@tributary/postgres';
import type { RateLimiter } from '@tributary/redis';
import type { Vault } from '@tributary/vault';
import type { WriteAudit } from './audit.ts';
import type { BodyThread } from './body-thread.ts';
import type { Costs } from './costs.ts';
import type { FairScheduler } from './fair-scheduler.ts';
import type { Caller } from './handler.ts';
import type { PersonalDataGate } from './personal-data-gate.ts';
import type { Refusal } from './refusal.ts';

/**
 * One call of an operation, as passed on by its transport: HTTP, MCP, the command line or a test. Its input is separate, because
 * a body is read only after admission.
 */
export interface Call {
  /** Undefined if the route needs no credential. */
  readonly caller: Caller | undefined;
  /** The client address, by which anonymous callers are counted. */
  readonly address: string;
  readonly idempotencyKey?: string | undefined;
  /** The raw header, for the one route that reads a client id and secret from it. */
  readonly authorization?: string | undefined;
  /** The raw header, for routes that replace the session. */
  readonly cookie?: string | undefined;
  readonly requestId: string;
  readonly now: Date;
  /** Aborted when the caller hangs up or the time limit is reached. */
  readonly signal: AbortSignal;
  /** Checks of the transport that run first: over HTTP, cross-site request forgery. */
  precheck?(): void;
  /** Adds headers to any response, including refusals. */
  setHeaders?(headers: Readonly<Record<string, string>>): void;
}

/** The request input before validation. */
export interface RawInput {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: Buffer | undefined;
  readonly contentType: string | undefined;
  /** Path and query as requested; part of the identity of a request under an Idempotency-Key. */
  readonly target: string;
}

/** The dependencies with which a process runs operations. */
export interface OperationDeps<Services> {
  readonly postgres: Postgres;
  readonly limiter: RateLimiter;
  readonly vault: Vault;
  readonly gate: PersonalDataGate;
  readonly services: Services;
  readonly baseUrl: string;
  /** Writes the audit entry of a change. */
  readonly audit: WriteAudit;
  /** Writes a forbidden attempt to the caller's audit log. */
  readonly auditRefusal: AuditRefusal;
  /** Budgets of bytes and processor time. Without them, only the number of requests is limited. */
  readonly costs?: Costs;
  /** Limits concurrent requests per tenant. Without it, all requests start at once. */
  readonly scheduler?: FairScheduler;
  /** Parses large bodies. Without it, they are parsed on the main thread. */
  readonly bodies?: BodyThread;
  /** Validates every response against its schema before sending; an invalid one becomes a 500. For tests. */
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

/** A response that is ready to be sent. */
export interface Prepared {
  readonly status: number;
  readonly bytes: string;
  /** The bytes are base64 and are sent decoded. */
  readonly isBase64?: boolean;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Sends a response to the caller. A response with personal data comes with a signal: then the promise resolves when the bytes
 * have been sent, and no byte may be sent after the signal is aborted.
 */
export type SendAnswer = (prepared: Prepared, cut?: AbortSignal) => Promise<void> | void;
