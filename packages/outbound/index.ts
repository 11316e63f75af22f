import { Connection, type Sending } from './connection.ts';
import { connectToTarget, type OpenSocket, openTcp } from './connector.ts';
import { OutboundFailed, OutboundRefused, type RefusalReason } from './errors.ts';
import { exchange, type OutboundRequest, type OutboundResponse } from './exchange.ts';
import { IdleConnections } from './idle-connections.ts';
import { localDevelopmentTargets, publicTargets, readTarget, type TargetPolicy } from './target.ts';
import { createResolver, type HostResolver, vettedAddresses } from './vetted-addresses.ts';

export type { LineAnswer, Sending } from './connection.ts';
export type { OpenSocket } from './connector.ts';
export { type FailureReason, OutboundFailed, OutboundRefused, type RefusalReason } from './errors.ts';
export type { OutboundRequest, OutboundResponse } from './exchange.ts';
export { createMailer, type Mailer, MailFailed } from './mail.ts';
export { localDevelopmentTargets, publicTargets, type TargetPolicy } from './target.ts';
export type { HostResolver } from './vetted-addresses.ts';

export interface OutboundOptions {
  /** Time limit of a whole request, from the DNS query to the last byte. */
  readonly timeoutMs: number;
  /** 64 KiB by default. */
  readonly maxResponseBytes?: number;
  /** `publicTargets` by default; the README explains when to use another. */
  readonly policy?: TargetPolicy;
  /** Hosts of a developer, for which `localDevelopmentTargets` applies instead. */
  readonly localHosts?: readonly string[];
  /** Must not cache answers. node:dns's own Resolver by default. */
  readonly resolver?: HostResolver;
  /** Opens the connection; replaced in tests and chaos tests to see where a request would go. */
  readonly connect?: OpenSocket;
  /** PEM of the certificate authorities to trust instead of Node's. To add one, set NODE_EXTRA_CA_CERTS. */
  readonly ca?: string;
}

export interface RequestOptions extends OutboundRequest {
  readonly timeoutMs?: number;
  readonly maxResponseBytes?: number;
  readonly signal?: AbortSignal;
}

export type TargetCheck =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly reason: RefusalReason; readonly message: string };

export interface Outbound {
  /** Whether a request would be permitted now, for the moment when a user enters a URL; `request` checks again. */
  checkTarget(url: string): Promise<TargetCheck>;
  /** Rejects with `OutboundRefused`, `OutboundFailed`, or the reason of the caller's own signal. */
  request(url: string, options?: RequestOptions): Promise<OutboundResponse>;
  /**
   * For many requests to one URL within seconds. It queries DNS and vets all addresses now; kept connections are reused only if they lead
   * to one of them. Rejects like `request`.
   */
  openLine(url: string): Promise<Line>;
  /** Closes the kept connections. */
  close(): void;
}

/** An open connection of a line, for sequential requests. */
export interface Lane {
  /**
   * Whether the connection carried earlier requests. A failure on such a connection may only mean that the receiver closed it, and says
   * nothing about its health.
   */
  readonly isUsed: boolean;
  readonly isOpen: boolean;
  send(request: OutboundRequest): Sending;
  /** Returns the connection, so that it can be reused. */
  end(): void;
  /** Closes the connection at once, so that no further byte is sent. */
  cut(): void;
}

export interface Line {
  /** Rejects with `OutboundRefused` or `OutboundFailed`. */
  openLane(): Promise<Lane>;
}

/** How long and how many idle connections are kept: most receivers close theirs after five seconds or more. */
const keepLimits = { idleMs: 4_000, most: 512 };

export function createOutbound(options: OutboundOptions): Outbound {
  const { resolver = createResolver(), connect: open = openTcp, ca } = options;
  const { localHosts = [], maxResponseBytes: mostBytes = 65_536 } = options;
  const connections = new IdleConnections(keepLimits);
  const getTarget = (url: string) => {
    const isLocal = localHosts.includes(URL.parse(url)?.hostname ?? '');
    const policy = isLocal ? localDevelopmentTargets : (options.policy ?? publicTargets);
    return { target: readTarget(url, policy), policy };
  };

  return {
    async checkTarget(url) {
      try {
        const { target, policy } = getTarget(url);
        await withDeadline(options.timeoutMs, undefined, () => vettedAddresses(target.hostname, policy, resolver));
        return { allowed: true };
      } catch (error) {
        const refusal = timedOut(error) ? new OutboundRefused('address_not_public') : error;
        if (!(refusal instanceof OutboundRefused)) throw error;
        return { allowed: false, reason: refusal.reason, message: refusal.message };
      }
    },

    async request(url, request = {}) {
      assertNoHost(request.headers);
      const timeoutMs = request.timeoutMs ?? options.timeoutMs;
      const maxResponseBytes = request.maxResponseBytes ?? mostBytes;
      return withDeadline(timeoutMs, request.signal, async (signal) => {
        const { target, policy } = getTarget(url);
        const vetted = await vettedAddresses(target.hostname, policy, resolver);
        const { socket } = await connectToTarget(target, vetted, { policy, open, timeoutMs, signal, ca });
        return exchange(target, socket, request, maxResponseBytes, signal);
      });
    },

    async openLine(url) {
      const { timeoutMs } = options;
      const { target, policy } = getTarget(url);
      const { origin, pathname, search } = target.url;
      const vetted = await withDeadline(timeoutMs, undefined, () => vettedAddresses(target.hostname, policy, resolver));
      const connect = () =>
        withDeadline(timeoutMs, undefined, async (signal) => {
          const { address, socket } = await connectToTarget(target, vetted, { policy, open, timeoutMs, signal, ca });
          return new Connection(target, address, socket);
        });
      return {
        async openLane() {
          const connection = connections.take(origin, vetted) ?? (await connect());
          return {
            get isUsed() {
              return connection.carried > 1;
            },
            get isOpen() {
              return connection.isOpen;
            },
            send(request) {
              assertNoHost(request.headers);
              const limits = { timeoutMs, maxResponseBytes: mostBytes };
              return connection.send({ ...request, path: pathname + search }, limits);
            },
            end: () => connections.keep(connection),
            cut: () => connection.close(),
          };
        },
      };
    },

    close: () => connections.close(),
  };
}

/** Runs the work until the deadline passes or the caller's signal aborts. Work that ignores its signal is not awaited. */
async function withDeadline<T>(
  timeoutMs: number,
  callerSignal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(new OutboundFailed('timeout')), timeoutMs);
  const giveUp = () => deadline.abort(callerSignal?.reason);
  callerSignal?.addEventListener('abort', giveUp);
  if (callerSignal?.aborted) giveUp();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  deadline.signal.addEventListener('abort', () => reject(deadline.signal.reason));
  try {
    deadline.signal.throwIfAborted();
    return await Promise.race([work(deadline.signal), aborted]);
  } finally {
    clearTimeout(timer);
    callerSignal?.removeEventListener('abort', giveUp);
  }
}

function timedOut(error: unknown): boolean {
  return error instanceof OutboundFailed && error.reason === 'timeout';
}

/** A different Host header would reach a site behind a shared proxy that was not vetted. */
function assertNoHost(headers: OutboundRequest['headers'] = {}): void {
  if (Object.keys(headers).some((name) => name.toLowerCase() === 'host')) {
    throw new TypeError('The Host header follows from the URL and cannot be set');
  }
}
