import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { Route } from '@tributary/contract';
import fc from 'fast-check';
import type { InjectOptions, LightMyRequestResponse } from 'fastify';
import { type Answered, type Fault, faultOf, isAt } from './check.ts';
import { type FuzzRequest, requestsTo } from './requests.ts';
import { exchange, type SocketRequest, socketRequests, textOf } from './sockets.ts';
import { Witness } from './witness.ts';
import { credentialsFor, settled, type World } from './world.ts';

export interface Target {
  /** For what needs no wire, */
  inject(request: InjectOptions): Promise<LightMyRequestResponse>;
  /** and where it listens for the rest. */
  readonly port: number;
  readonly routes: readonly Route[];
  /** It answers pages of others, and says less. */
  readonly isForBrowsers?: boolean;
  /** What the server logs. */
  readonly logLines: string[];
}

/** A fault with what is needed to see it again: the same seed makes the same requests, and this is the one at that index. */
export interface Failure extends Fault {
  readonly route: string;
  readonly seed: number;
  readonly path: string;
  readonly request: string;
}

const socketShare = 0.02;
const weighedShare = 0.05;
const lanes = 16;
/** More kinds of faults than this nobody reads, and each takes a while to make small. */
const mostFailures = 12;

/** Sends requests made of the declarations and holds every answer against them. */
export class Fuzzer {
  readonly byStatus: Record<string, number> = {};
  readonly counts = { requests: 0, off_schema: 0, server_error: 0 };
  /** One of each kind. */
  readonly failures: Failure[] = [];
  /** What one request cost the processor at most, asked alone; what else the machine does is not in it. */
  dearest = { cpu_ms: 0, request: '' };
  readonly #answeredWell = new Set<string>();
  readonly #target: Target;
  readonly #witness: Witness;
  readonly #world: LivingWorld;
  readonly #requests: fc.Arbitrary<FuzzRequest>;
  readonly #overSockets: fc.Arbitrary<SocketRequest>;

  constructor(target: Target, newWorld: () => Promise<World>) {
    this.#world = new LivingWorld(newWorld);
    this.#target = target;
    this.#witness = new Witness(target.logLines, target.routes);
    this.#requests = requestsTo(target.routes);
    this.#overSockets = socketRequests(requestsTo(target.routes, { isClean: true }));
  }

  /** Makes `size` requests of a seed and sends them. */
  async batch(seed: number, size: number): Promise<void> {
    const overSockets = Math.ceil(size * socketShare);
    const reports = await Promise.all([
      this.#send(this.#requests, seed, size - overSockets, (request) => this.#inject(request)),
      this.#send(this.#overSockets, seed, overSockets, (request) => this.#overSocket(request)),
    ]);
    // Only now that it is quiet, or what is sent meanwhile would have a say in it.
    for (const report of reports.flat()) await report();
    for (const request of fc.sample(this.#requests, { seed: ~seed, numRuns: Math.ceil(size * weighedShare) }))
      await this.#weigh(request);
    await this.#world.settle();
    this.#witness.clear();
  }

  /** The routes that never got as far as an answer of their own, for people to look at. */
  unreached(): string[] {
    return this.#target.routes.map(({ id }) => id).filter((id) => !this.#answeredWell.has(id));
  }

  async #send<R>(
    requests: fc.Arbitrary<R>,
    seed: number,
    size: number,
    send: (request: R) => Promise<Sent>,
  ): Promise<(() => Promise<void>)[]> {
    const made = fc.sample(requests, { seed, numRuns: size });
    const reports: (() => Promise<void>)[] = [];
    let next = 0;
    const lane = async () => {
      while (next < made.length) {
        const index = next++;
        const sent = await send(made[index] as R);
        this.counts.requests += 1;
        for (const status of sent.statuses) this.byStatus[status] = (this.byStatus[status] ?? 0) + 1;
        if (sent.fault) {
          this.counts[sent.fault.kind] += 1;
          reports.push(() => this.#report(requests, seed, index, sent, send));
        }
      }
    };
    await Promise.all(Array.from({ length: lanes }, lane));
    return reports;
  }

  /** Finds the smallest request that fails alike. What it needed of those before it may be gone; then it is told as it was. */
  async #report<R>(
    requests: fc.Arbitrary<R>,
    seed: number,
    index: number,
    first: Sent,
    send: (request: R) => Promise<Sent>,
  ): Promise<void> {
    const { fault } = first;
    const isAlike = (other: Sent['fault']) => other?.route === fault?.route && other?.what === fault?.what;
    const isKnown = this.failures.some(isAlike);
    if (!fault || isKnown || this.failures.length >= mostFailures) return;
    this.#world.renew();
    let smallest = first;
    const failsAlike = fc.asyncProperty(requests, async (request) => {
      const sent = await send(request);
      if (!isAlike(sent.fault)) return true;
      smallest = sent;
      return false;
    });
    const run = await fc.check(failsAlike, { seed, path: String(index), numRuns: 1, interruptAfterTimeLimit: 2_000 });
    const path = run.counterexamplePath ?? String(index);
    this.failures.push({ ...fault, seed, path, request: short(smallest.tell()) });
  }

  async #inject(request: FuzzRequest): Promise<Sent> {
    const now = await this.#world.use();
    const { method, url, headers, body, from } = settled(request, now);
    const meant = request.route && isAt(request.route, request) ? request.route : undefined;
    const tell = () => told(request);
    let response: LightMyRequestResponse;
    try {
      response = await this.#target.inject({
        method: method as 'GET',
        url,
        headers: { ...headers },
        remoteAddress: from,
        ...(body && { payload: body }),
      });
    } catch (error) {
      // The answer was cut off on its way.
      return this.#judged(tell, [], meant, () => ({ kind: 'server_error', what: (error as Error).message }));
    }
    if (response.statusCode === 401 && shouldOpen(request)) await this.#world.replace(now);
    const answered = { status: response.statusCode, headers: response.headers, body: decompress(response) };
    return this.#judged(tell, [answered], meant, (route) => faultOf(method, answered, route, this.#target));
  }

  /** A collection of garbage may fall into one try, not into each of three. */
  async #weigh(request: FuzzRequest): Promise<void> {
    let least = Number.POSITIVE_INFINITY;
    for (let attempt = 0; attempt < 3 && least > this.dearest.cpu_ms; attempt += 1) {
      const before = process.cpuUsage();
      await this.#inject(request);
      const { user, system } = process.cpuUsage(before);
      least = Math.min(least, (user + system) / 1_000);
    }
    if (least > this.dearest.cpu_ms) this.dearest = { cpu_ms: Math.round(least), request: short(told(request)) };
  }

  async #overSocket({ request, frame }: SocketRequest): Promise<Sent> {
    const tell = () => `as ${request.credential}: ${textOf({ request, frame })}`;
    const real = textOf({ request: settled(request, await this.#world.use()), frame });
    // The collector writes no line for each request, and a frame may bend the address: there an answer of the route that was meant is as good as
    // one of no route at all.
    const meant = this.#target.isForBrowsers ? request.route : undefined;
    const judge = (route: Route | undefined, answered: Answered) => {
      const fault = faultOf(request.method, answered, route, this.#target);
      return fault && meant ? faultOf(request.method, answered, meant, this.#target) : fault;
    };
    const noAnswer: Fault | undefined = frame.isWhole ? { kind: 'server_error', what: 'no answer' } : undefined;
    try {
      const answers = await exchange(this.#target.port, request.from, real, frame.isWhole);
      return this.#judged(tell, answers, undefined, (route, answered) =>
        answered ? judge(route, answered) : noAnswer,
      );
    } catch (error) {
      const fault: Fault = { kind: 'server_error', what: (error as Error).message };
      return this.#judged(tell, [], request.route, () => fault);
    }
  }

  /** By the route that it came to, as the log says, or else by the one that its address means. */
  #judged(
    tell: () => string,
    answers: readonly Answered[],
    meant: Route | undefined,
    judge: (route: Route | undefined, answered?: Answered) => Fault | undefined,
  ): Sent {
    const faults = (answers.length > 0 ? answers : [undefined]).flatMap((answered) => {
      const seen = answered ? this.#witness.take(String(answered.headers['x-request-id'])) : {};
      const route = seen.route ?? meant;
      if (route && answered && answered.status < 300) this.#answeredWell.add(route.id);
      const fault = judge(route, answered);
      if (!fault) return [];
      return [
        { route: route?.id ?? 'no route', ...fault, what: [fault.what, seen.failure].filter(Boolean).join(': ') },
      ];
    });
    return {
      tell,
      statuses: answers.length > 0 ? answers.map(({ status }) => String(status)) : ['none'],
      fault: faults[0],
    };
  }
}

/** Decompresses the body according to its Content-Encoding. */
function decompress({ headers, rawPayload, body }: LightMyRequestResponse): string {
  const encoding = headers['content-encoding'];
  if (encoding === 'br') return brotliDecompressSync(rawPayload).toString();
  return encoding === 'gzip' ? gunzipSync(rawPayload).toString() : body;
}

/** Requests sign out, revoke and delete. What has suffered from that is replaced, or the rest would stay outside. */
class LivingWorld {
  readonly #build: () => Promise<World>;
  #now: Promise<World>;
  /** Ready before it is needed. */
  #next: Promise<World>;
  #uses = 0;

  constructor(build: () => Promise<World>) {
    this.#build = build;
    this.#now = build();
    this.#next = build();
  }

  async use(): Promise<World> {
    this.#uses += 1;
    const world = await this.#now;
    if (this.#uses >= mostUses) await this.replace(world);
    return world;
  }

  async replace(spent: World): Promise<void> {
    // Where credentials never open, new ones would not either.
    if (this.#uses >= leastUses && (await this.#now) === spent) this.renew();
  }

  renew(): void {
    this.#uses = 0;
    this.#now = this.#next;
    this.#next = this.#build();
  }

  async settle(): Promise<void> {
    await Promise.all([this.#now, this.#next]);
  }
}

const leastUses = 100;
const mostUses = 400;

/** Whether it shows, as it was issued, a credential that the route takes. */
function shouldOpen({ route, credential, headers }: FuzzRequest): boolean {
  const isTouched = 'authorization' in headers || 'cookie' in headers;
  return !isTouched && credentialsFor(route?.access.credentials ?? []).good.includes(credential);
}

interface Sent {
  readonly tell: () => string;
  readonly statuses: readonly string[];
  readonly fault: (Fault & { readonly route: string }) | undefined;
}

const told = ({ method, url, credential, headers, body }: FuzzRequest) =>
  `${method} ${url} as ${credential} ${JSON.stringify(headers)} ${body ?? ''}`;

const short = (text: string) => (text.length > 400 ? `${text.slice(0, 400)}… ${text.length} characters` : text);
