import { Refusal } from '@tributary/operations';
import { addressGroup } from '@tributary/redis';
import type { FastifyRequest } from 'fastify';
import { BodyBudget } from './body-budget.ts';

const MiB = 1024 * 1024;

/**
 * Memory and time limits for request bodies. Anonymous senders share a small budget of their own, so they cannot exhaust the
 * others'.
 */
export interface BodyLimits {
  readonly known: { readonly inAll: number; readonly perSender: number };
  readonly strangers: { readonly inAll: number; readonly perSender: number };
  /** Webhooks of providers, which are authenticated by a signature over the whole body. */
  readonly providers: { readonly inAll: number; readonly perSender: number };
  /** The limit of one anonymous body, even if the route allows more. */
  readonly strangerBytes: number;
  /** The longest pause between two chunks. */
  readonly idleMs: number;
  /** From the first byte to the last. */
  readonly wholeMs: number;
}

export const bodyLimits: BodyLimits = {
  known: { inAll: 64 * MiB, perSender: 24 * MiB },
  strangers: { inAll: 8 * MiB, perSender: MiB },
  providers: { inAll: 16 * MiB, perSender: 8 * MiB },
  strangerBytes: 32 * 1024,
  idleMs: 5_000,
  wholeMs: 20_000,
};

/** Reads the bodies of admitted requests within the memory budgets. */
export class BodyReader {
  readonly #limits: BodyLimits;
  readonly #authenticated: BodyBudget;
  readonly #anonymous: BodyBudget;
  readonly #providers: BodyBudget;

  constructor(limits: BodyLimits = bodyLimits) {
    this.#limits = limits;
    this.#authenticated = new BodyBudget(limits.known);
    this.#anonymous = new BodyBudget(limits.strangers);
    this.#providers = new BodyBudget(limits.providers);
  }

  /** The body counts against the budget until the response has been sent. */
  read(request: FastifyRequest, payload: NodeJS.ReadableStream, done: Promise<void>): Promise<Buffer> {
    const { caller } = request.state;
    const { strangerBytes, idleMs, wholeMs } = this.#limits;
    const routeBytes = request.routeOptions.bodyLimit;
    const isProvider = isFromProvider(request);
    const maxBytes = caller || isProvider ? routeBytes : Math.min(routeBytes, strangerBytes);
    const announced = Number(request.headers['content-length']);
    if (announced > maxBytes) return Promise.reject(tooLarge());

    const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
    const chunks: Buffer[] = [];
    let received = 0;
    const fail = (refusal: Refusal) => {
      stopReading();
      reservation.release();
      reject(refusal);
    };
    const sender = caller?.workspaceId ?? caller?.appId ?? caller?.credentialId;
    const reservation = sender
      ? this.#authenticated.open(sender, () => fail(overBudget()))
      : (isProvider ? this.#providers : this.#anonymous).open(addressGroup(request.ip).own, () => fail(overBudget()));
    void done.then(() => reservation.release());
    const idle = setTimeout(() => fail(tooSlow()), idleMs);
    const whole = setTimeout(() => fail(tooSlow()), wholeMs);
    const append = (chunk: Buffer) => {
      received += chunk.length;
      idle.refresh();
      if (received > maxBytes) fail(tooLarge());
      else if (!reservation.add(chunk.length)) fail(overBudget());
      else chunks.push(chunk);
    };
    const end = () => {
      stopReading();
      reservation.complete();
      if (announced >= 0 && announced !== received) fail(wrongLength());
      else resolve(Buffer.concat(chunks, received));
    };
    const aborted = () => fail(wrongLength());
    const stopReading = () => {
      clearTimeout(idle);
      clearTimeout(whole);
      payload.off('data', append).off('end', end).off('error', aborted);
    };
    payload.on('data', append).on('end', end).on('error', aborted);
    return promise;
  }
}

/** Whether the route receives webhooks of providers. */
export const isFromProvider = ({ routeOptions }: FastifyRequest): boolean =>
  (routeOptions.config as { readonly sender?: string } | undefined)?.sender === 'provider';

const tooLarge = () => new Refusal('payload_too_large', 'The body is larger than this route takes.');
const wrongLength = () => new Refusal('invalid_request', 'The body is not as long as its Content-Length says.');
const tooSlow = () =>
  new Refusal('invalid_request', 'The body did not come in time. Send it faster, or in smaller parts.', {
    headers: { connection: 'close' },
  });
const overBudget = () =>
  new Refusal('service_unavailable', 'Too many bodies are on their way at once. Send it again in a moment.', {
    headers: { 'retry-after': '2' },
  });
