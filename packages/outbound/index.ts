import { connectToTarget, type OpenSocket, openTcp } from './connector.ts';
import { OutboundFailed, OutboundRefused, type RefusalReason } from './errors.ts';
import { exchange, type OutboundRequest, type OutboundResponse } from './exchange.ts';
import { publicTargets, readTarget, type TargetPolicy } from './target.ts';
import { type HostResolver, patientResolver, vettedAddresses } from './vetted-addresses.ts';

export type { OpenSocket } from './connector.ts';
export { type FailureReason, OutboundFailed, OutboundRefused, type RefusalReason } from './errors.ts';
export type { OutboundRequest, OutboundResponse } from './exchange.ts';
export { localDevelopmentTargets, publicTargets, type TargetPolicy } from './target.ts';
export type { HostResolver } from './vetted-addresses.ts';

export interface OutboundOptions {
  /** For a whole request, from the DNS question to the last byte. */
  readonly timeoutMs: number;
  /** 64 KiB unless told. */
  readonly maxResponseBytes?: number;
  /** `publicTargets` unless told; the README says when another is right. */
  readonly policy?: TargetPolicy;
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
}

export function createOutbound(options: OutboundOptions): Outbound {
  const { policy = publicTargets, resolver = patientResolver(), connect: open = openTcp, ca } = options;

  return {
    async checkTarget(url) {
      try {
        await withDeadline(options.timeoutMs, undefined, () =>
          vettedAddresses(readTarget(url, policy).hostname, policy, resolver),
        );
        return { allowed: true };
      } catch (error) {
        const refusal = timedOut(error) ? new OutboundRefused('host_unresolvable') : error;
        if (!(refusal instanceof OutboundRefused)) throw error;
        return { allowed: false, reason: refusal.reason, message: refusal.message };
      }
    },

    async request(url, request = {}) {
      assertNoHost(request.headers);
      const timeoutMs = request.timeoutMs ?? options.timeoutMs;
      const maxResponseBytes = request.maxResponseBytes ?? options.maxResponseBytes ?? 65_536;
      return withDeadline(timeoutMs, request.signal, async (signal) => {
        const target = readTarget(url, policy);
        const vetted = await vettedAddresses(target.hostname, policy, resolver);
        const socket = await connectToTarget(target, vetted, { policy, open, timeoutMs, signal, ca });
        return exchange(target, socket, request, maxResponseBytes, signal);
      });
    },
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
