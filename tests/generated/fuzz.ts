import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { Route } from '@tributary/contract';
import fc from 'fast-check';
import type { InjectOptions, LightMyRequestResponse } from 'fastify';
import { type Fault, faultOf, isAt, type ReceivedResponse } from './check.ts';
import { type FuzzRequest, requestsTo } from './requests.ts';
import { exchange, type SocketRequest, socketRequests, textOf } from './sockets.ts';
import { Witness } from './witness.ts';
import { credentialsFor, settled, type World } from './world.ts';

export interface Target {
  /** For requests that need no socket. */
  inject(request: InjectOptions): Promise<LightMyRequestResponse>;
  /** The port for requests over a socket. */
  readonly port: number;
  readonly routes: readonly Route[];
  /** The server answers pages of other sites and gives them fewer details. */
  readonly isForBrowsers?: boolean;
  /** The server's log. */
  readonly logLines: string[];
}

/** A fault with the data to reproduce it: the seed makes the same requests, and `path` selects the failing one. */
export interface Failure extends Fault {
  readonly route: string;
  readonly seed: number;
  readonly path: string;
  readonly request: string;
}

const socketShare = 0.02;
const measuredShare = 0.05;
const lanes = 16;
/** More kinds of faults are not reported, because shrinking each takes time. */
const maxFailures = 12;

/** Sends requests generated from the declarations and checks every response against them. */
export class Fuzzer {
  readonly byStatus: Record<string, number> = {};
  readonly counts = { requests: 0, off_schema: 0, server_error: 0 };
  /** One failure of each kind. */
  readonly failures: Failure[] = [];
  /** The request with the highest CPU time, measured alone. */
  dearest = { cpu_ms: 0, request: '' };
  readonly #successfulRoutes = new Set<string>();
  readonly #target: Target;
  readonly #witness: Witness;
  readonly #world: RenewedWorld;
  readonly #requests: fc.Arbitrary<FuzzRequest>;
  readonly #overSockets: fc.Arbitrary<SocketRequest>;

  constructor(target: Target, newWorld: () => Promise<World>) {
    this.#world = new RenewedWorld(newWorld);
    this.#target = target;
    this.#witness = new Witness(target.logLines, target.routes);
    this.#requests = requestsTo(target.routes);
    this.#overSockets = socketRequests(requestsTo(target.routes, { isClean: true }));
  }

  /** Generates `size` requests from a seed and sends them. */
  async batch(seed: number, size: number): Promise<void> {
    const overSockets = Math.ceil(size * socketShare);
    const reports = await Promise.all([
      this.#send(this.#requests, seed, size - overSockets, (request) => this.#inject(request)),
      this.#send(this.#overSockets, seed, overSockets, (request) => this.#overSocket(request)),
    ]);
    // Shrinks and measures only after all requests have ended, because parallel requests would distort the results.
    for (const report of reports.flat()) await report();
    for (const request of fc.sample(this.#requests, { seed: ~seed, numRuns: Math.ceil(size * measuredShare) }))
      await this.#measureCpu(request);
    await this.#world.settle();
    this.#witness.clear();
  }

  /** Routes without any successful response, listed for review. */
  unreached(): string[] {
    return this.#target.routes.map(({ id }) => id).filter((id) => !this.#successfulRoutes.has(id));
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

  /** Shrinks to the smallest request that fails in the same way. If earlier requests were needed for the failure, it stays as it was. */
  async #report<R>(
    requests: fc.Arbitrary<R>,
    seed: number,
    index: number,
    first: Sent,
    send: (request: R) => Promise<Sent>,
  ): Promise<void> {
    const { fault } = first;
    const isSameFault = (other: Sent['fault']) => other?.route === fault?.route && other?.what === fault?.what;
    const isKnown = this.failures.some(isSameFault);
    if (!fault || isKnown || this.failures.length >= maxFailures) return;
    this.#world.renew();
    let smallest = first;
    const failsAlike = fc.asyncProperty(requests, async (request) => {
      const sent = await send(request);
      if (!isSameFault(sent.fault)) return true;
      smallest = sent;
      return false;
    });
    const run = await fc.check(failsAlike, { seed, path: String(index), numRuns: 1, interruptAfterTimeLimit: 2_000 });
    const path = run.counterexamplePath ?? String(index);
    this.failures.push({ ...fault, seed, path, request: short(smallest.describe()) });
  }

  async #inject(request: FuzzRequest): Promise<Sent> {
    const now = await this.#world.use();
    const { method, url, headers, body, from } = settled(request, now);
    const meant = request.route && isAt(request.route, request) ? request.route : undefined;
    const describe = () => describeRequest(request);
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
      // The connection was cut off.
      return this.#judge(describe, [], meant, () => ({ kind: 'server_error', what: (error as Error).message }));
    }
    if (response.statusCode === 401 && shouldOpen(request)) await this.#world.replace(now);
    const received = { status: response.statusCode, headers: response.headers, body: decompress(response) };
    return this.#judge(describe, [received], meant, (route) => faultOf(method, received, route, this.#target));
  }

  /** Takes the minimum of up to three attempts, because garbage collection may run during one of them. */
  async #measureCpu(request: FuzzRequest): Promise<void> {
    let least = Number.POSITIVE_INFINITY;
    for (let attempt = 0; attempt < 3 && least > this.dearest.cpu_ms; attempt += 1) {
      const before = process.cpuUsage();
      await this.#inject(request);
      const { user, system } = process.cpuUsage(before);
      least = Math.min(least, (user + system) / 1_000);
    }
    if (least > this.dearest.cpu_ms)
      this.dearest = { cpu_ms: Math.round(least), request: short(describeRequest(request)) };
  }

  async #overSocket({ request, frame }: SocketRequest): Promise<Sent> {
    const describe = () => `as ${request.credential}: ${textOf({ request, frame })}`;
    const real = textOf({ request: settled(request, await this.#world.use()), frame });
    // The collector does not log each request, and a frame may change the address. So a response is correct if it fits the intended route or
    // no route.
    const meant = this.#target.isForBrowsers ? request.route : undefined;
    const judge = (route: Route | undefined, received: ReceivedResponse) => {
      const fault = faultOf(request.method, received, route, this.#target);
      return fault && meant ? faultOf(request.method, received, meant, this.#target) : fault;
    };
    const noAnswer: Fault | undefined = frame.isWhole ? { kind: 'server_error', what: 'no answer' } : undefined;
    try {
      const answers = await exchange(this.#target.port, request.from, real, frame.isWhole);
      return this.#judge(describe, answers, undefined, (route, received) =>
        received ? judge(route, received) : noAnswer,
      );
    } catch (error) {
      const fault: Fault = { kind: 'server_error', what: (error as Error).message };
      return this.#judge(describe, [], request.route, () => fault);
    }
  }

  /** Judges by the route in the log, or otherwise by the route that the address means. */
  #judge(
    describe: () => string,
    answers: readonly ReceivedResponse[],
    meant: Route | undefined,
    judge: (route: Route | undefined, received?: ReceivedResponse) => Fault | undefined,
  ): Sent {
    const faults = (answers.length > 0 ? answers : [undefined]).flatMap((received) => {
      const entry = received ? this.#witness.take(String(received.headers['x-request-id'])) : {};
      const route = entry.route ?? meant;
      if (route && received && received.status < 300) this.#successfulRoutes.add(route.id);
      const fault = judge(route, received);
      if (!fault) return [];
      return [
        { route: route?.id ?? 'no route', ...fault, what: [fault.what, entry.failure].filter(Boolean).join(': ') },
      ];
    });
    return {
      describe,
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

/** Replaces the world after it was used for a while, because requests sign out, revoke and delete what the others need. */
class RenewedWorld {
  readonly #build: () => Promise<World>;
  #now: Promise<World>;
  /** Built in advance. */
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
    if (this.#uses >= maxUses) await this.replace(world);
    return world;
  }

  async replace(spent: World): Promise<void> {
    // If credentials never work, a new world would not help.
    if (this.#uses >= minUses && (await this.#now) === spent) this.renew();
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

const minUses = 100;
const maxUses = 400;

/** Whether the request has an unchanged credential that the route accepts. */
function shouldOpen({ route, credential, headers }: FuzzRequest): boolean {
  const isTouched = 'authorization' in headers || 'cookie' in headers;
  return !isTouched && credentialsFor(route?.access.credentials ?? []).good.includes(credential);
}

interface Sent {
  readonly describe: () => string;
  readonly statuses: readonly string[];
  readonly fault: (Fault & { readonly route: string }) | undefined;
}

const describeRequest = ({ method, url, credential, headers, body }: FuzzRequest) =>
  `${method} ${url} as ${credential} ${JSON.stringify(headers)} ${body ?? ''}`;

const short = (text: string) => (text.length > 400 ? `${text.slice(0, 400)}… ${text.length} characters` : text);
