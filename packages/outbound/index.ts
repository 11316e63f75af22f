import { Connection, type Sending } from './connection.ts';
import { connectToTarget, type OpenSocket, openTcp } from './connector.ts';
import { OutboundFailed, OutboundRefused, type RefusalReason } from './errors.ts';
import { exchange, type OutboundRequest, type OutboundResponse } from './exchange.ts';
import { KeptConnections } from './kept-connections.ts';
import { localDevelopmentTargets, publicTargets, readTarget, type TargetPolicy } from './target.ts';
import { type HostResolver, patientResolver, vettedAddresses } from './vetted-addresses.ts';

export type { LineAnswer, Sending } from './connection.ts';
export type { OpenSocket } from './connector.ts';
export { type FailureReason, OutboundFailed, OutboundRefused, type RefusalReason } from './errors.ts';
export type { OutboundRequest, OutboundResponse } from './exchange.ts';
export { createMailer, type Mailer, MailFailed } from './mail.ts';
export { localDevelopmentTargets, publicTargets, type TargetPolicy } from './target.ts';
export type { HostResolver } from './vetted-addresses.ts';

export interface OutboundOptions {
  /** For a whole request, from the DNS question to the last byte. */
  readonly timeoutMs: number;
  /** 64 KiB unless told. */
  readonly maxResponseBytes?: number;
  /** `publicTargets` unless told; the README says when another is right. */
  readonly policy?: TargetPolicy;
  /** Hosts of a developer, for which `localDevelopmentTargets` holds instead. */
  readonly localHosts?: readonly string[];
  /** Must not remember answers. node:dns's own Resolver unless told. */
  readonly resolver?: HostResolver;
  /** The lowest step, replaced in tests and drills to see where a request would go. */
  readonly connect?: OpenSocket;
  /** PEM of the certificate authorities to trust instead of Node's; to add one, set NODE_EXTRA_CA_CERTS. */
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
  /** Would a request be permitted at this moment? For the moment a user enters a URL; `request` checks again by itself. */
  checkTarget(url: string): Promise<TargetCheck>;
  /** Rejects with `OutboundRefused`, `OutboundFailed`, or the reason of the caller's own signal. */
  request(url: string, options?: RequestOptions): Promise<OutboundResponse>;
  /**
   * For many requests to one URL within seconds. DNS is asked and every address vetted now; connections that were kept from an earlier
   * line are used again only if they lead to one of these addresses. Rejects like `request`.
   */
  openLine(url: string): Promise<Line>;
  /** Closes the connections that are kept. */
  close(): void;
}

/** One lane of a line: an open connection, for one request after the other. */
export interface Lane {
  /** A request that failed on a connection which had carried others may have met its end: it says nothing of the receiver. */
  readonly isUsed: boolean;
  readonly isOpen: boolean;
  send(request: OutboundRequest): Sending;
  /** Gives the connection back. */
  end(): void;
  /** Closes it at once: no further byte leaves. */
  cut(): void;
}

export interface Line {
  /** Rejects with `OutboundRefused` or `OutboundFailed`. */
  openLane(): Promise<Lane>;
}

/** Connections that nobody uses are kept so long: most receivers close theirs after five seconds or more. */
const kept = { idleMs: 4_000, most: 512 };

export function createOutbound(options: OutboundOptions): Outbound {
  const { resolver = patientResolver(), connect: open = openTcp, ca } = options;
  const { localHosts = [], maxResponseBytes: mostBytes = 65_536 } = options;
  const connections = new KeptConnections(kept);
  const targetOf = (url: string) => {
    const isLocal = localHosts.includes(URL.parse(url)?.hostname ?? '');
    const policy = isLocal ? localDevelopmentTargets : (options.policy ?? publicTargets);
    return { target: readTarget(url, policy), policy };
  };

  return {
    async checkTarget(url) {
      try {
        const { target, policy } = targetOf(url);
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
        const { target, policy } = targetOf(url);
        const vetted = await vettedAddresses(target.hostname, policy, resolver);
        const { socket } = await connectToTarget(target, vetted, { policy, open, timeoutMs, signal, ca });
        return exchange(target, socket, request, maxResponseBytes, signal);
      });
    },

    async openLine(url) {
      const { timeoutMs } = options;
      const { target, policy } = targetOf(url);
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

/** Runs the work until the time is up or the caller gives up; work that ignores its signal is left behind, not waited for. */
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

/** Another Host than the URL's would send the request, behind a shared front, to a site that nobody vetted. */
function assertNoHost(headers: OutboundRequest['headers'] = {}): void {
  if (Object.keys(headers).some((name) => name.toLowerCase() === 'host')) {
    throw new TypeError('The Host header follows from the URL and cannot be set');
  }
}
