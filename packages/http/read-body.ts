import { Refusal } from '@tributary/operations';
import { addressGroup } from '@tributary/redis';
import type { FastifyRequest } from 'fastify';
import { BodyBudget } from './body-budget.ts';

const MiB = 1024 * 1024;

/** What bodies may take of a process. Whoever is not known shares a small part, which leaves the others' alone. */
export interface BodyLimits {
  readonly known: { readonly inAll: number; readonly perSender: number };
  readonly strangers: { readonly inAll: number; readonly perSender: number };
  /** Webhooks of providers, which are known by a signature over the whole body. */
  readonly providers: { readonly inAll: number; readonly perSender: number };
  /** Of one body whose sender is not known, whatever the route takes. */
  readonly strangerBytes: number;
  /** Without a further byte. */
  readonly idleMs: number;
  /** From its first byte to its last. */
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

/** Reads bodies of requests that were admitted, into as much memory as there is for them. */
export class BodyReader {
  readonly #limits: BodyLimits;
  readonly #known: BodyBudget;
  readonly #strangers: BodyBudget;
  readonly #providers: BodyBudget;

  constructor(limits: BodyLimits = bodyLimits) {
    this.#limits = limits;
    this.#known = new BodyBudget(limits.known);
    this.#strangers = new BodyBudget(limits.strangers);
    this.#providers = new BodyBudget(limits.providers);
  }

  /** It counts as held until the answer has left. */
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
      settle();
      holding.release();
      reject(refusal);
    };
    const sender = caller?.workspaceId ?? caller?.appId ?? caller?.credentialId;
    const holding = sender
      ? this.#known.open(sender, () => fail(noRoom()))
      : (isProvider ? this.#providers : this.#strangers).open(addressGroup(request.ip).own, () => fail(noRoom()));
    void done.then(() => holding.release());
    const idle = setTimeout(() => fail(tooSlow()), idleMs);
    const whole = setTimeout(() => fail(tooSlow()), wholeMs);
    const take = (chunk: Buffer) => {
      received += chunk.length;
      idle.refresh();
      if (received > maxBytes) fail(tooLarge());
      else if (!holding.add(chunk.length)) fail(noRoom());
      else chunks.push(chunk);
    };
    const end = () => {
      settle();
      holding.complete();
      if (announced >= 0 && announced !== received) fail(cutShort());
      else resolve(Buffer.concat(chunks, received));
    };
    const broken = () => fail(cutShort());
    const settle = () => {
      clearTimeout(idle);
      clearTimeout(whole);
      payload.off('data', take).off('end', end).off('error', broken);
    };
    payload.on('data', take).on('end', end).on('error', broken);
    return promise;
  }
}

/** Whether the route takes webhooks of providers. */
export const isFromProvider = ({ routeOptions }: FastifyRequest): boolean =>
  (routeOptions.config as { readonly sender?: string } | undefined)?.sender === 'provider';

const tooLarge = () => new Refusal('payload_too_large', 'The body is larger than this route takes.');
const cutShort = () => new Refusal('invalid_request', 'The body is not as long as its Content-Length says.');
const tooSlow = () =>
  new Refusal('invalid_request', 'The body did not come in time. Send it faster, or in smaller parts.', {
    headers: { connection: 'close' },
  });
const noRoom = () =>
  new Refusal('service_unavailable', 'Too many bodies are on their way at once. Send it again in a moment.', {
    headers: { 'retry-after': '2' },
  });
