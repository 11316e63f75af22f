import { spawn, spawnSync } from 'node:child_process';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { createServer } from 'node:https';
import { type AddressInfo, BlockList, isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { openTcp } from '../../packages/outbound/connector.ts';
import { createOutbound, OutboundFailed, OutboundRefused, type TargetPolicy } from '../../packages/outbound/index.ts';
import { makeCertificate } from '../../packages/outbound/testing/certificate.ts';
import {
  dangerousFamilies,
  type HostileCase,
  honestCase,
  hostileCase,
  publicNetworks,
  seededRandom,
} from '../../packages/outbound/testing/hostile-urls.ts';
import { type DnsAnswer, type RecordType, startLoopbackDns } from '../../packages/outbound/testing/loopback-dns.ts';
import type { Drill, DrillContext, DrillResult } from '../kit/drill.ts';

/**
 * Two safeguards keep the drill off real networks. It only records connection attempts, except those to its own servers on the loopback.
 * And it runs in a child process in a network namespace without any other interface, so that a mistake in the drill cannot reach a host.
 */
export const drill: Drill = {
  name: 'outbound-guard',
  promise:
    'No URL, however it is written and whatever DNS returns for it, makes the product connect to an address that is not public.',
  run: runInNamespace,
};

const sizes = {
  full: { urls: 1_000_000, control: 20_000, exchanges: 1_000 },
  small: { urls: 5_000, control: 2_000, exchanges: 50 },
} as const;
const seed = 20_250_613;
const concurrency = 128;
/** Hostile URLs per honest URL. */
const honestEvery = 20;

/** The control: the same code with a policy that allows every target. */
const unguarded: TargetPolicy = { schemes: ['https:', 'http:'], ports: 'any', admits: () => true };

const knownPublic = new BlockList();
for (const [network, bits] of publicNetworks) knownPublic.addSubnet(network, bits, isIPv6(network) ? 'ipv6' : 'ipv4');
const isKnownPublic = (address: string) => knownPublic.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');

type Progress = DrillContext['progress'];

async function runCases(size: DrillContext['size'], progress: Progress): Promise<DrillResult> {
  const began = performance.now();
  const { urls, control, exchanges } = sizes[size];
  const world = await startWorld();
  const counts = { refused: 0, allowed_public: 0, attempts_non_public: 0, wrong_verdicts: 0 };

  const honest = Math.ceil(urls / honestEvery);
  const judge = async (hostile: HostileCase) => {
    const { outcome, attempts } = await world.tryCase(hostile);
    counts[outcome === 'tried' ? 'allowed_public' : 'refused'] += 1;
    counts.attempts_non_public += attempts.filter((address) => !isKnownPublic(address)).length;
    if (outcome !== (hostile.expect === 'public' ? 'tried' : 'refused')) counts.wrong_verdicts += 1;
  };
  const total = urls + honest + control;
  await eachCase(urls, hostileCase, judge, (done) => progress(done, total, 'hostile URLs'));
  await eachCase(honest, honestCase, judge, (done) => progress(urls + done, total, 'honest URLs'));

  let controlAttempts = 0;
  const reached = new Set<string>();
  const observe = async (hostile: HostileCase) => {
    const { attempts } = await world.tryCase(hostile, unguarded);
    const wrong = attempts.filter((address) => !isKnownPublic(address)).length;
    controlAttempts += wrong;
    if (wrong > 0) reached.add(hostile.family);
  };
  await eachCase(control, hostileCase, observe, (done) => progress(urls + honest + done, total, 'without the guard'));
  const harmless = dangerousFamilies.filter((family) => !reached.has(family));

  const exchange = await exchangeWithServers(exchanges);
  await world.close();
  return {
    passed:
      counts.attempts_non_public === 0 &&
      counts.wrong_verdicts === 0 &&
      counts.allowed_public >= honest &&
      controlAttempts > 0 &&
      harmless.length === 0 &&
      exchange.redirects_not_followed === exchanges &&
      exchange.wrong_peers_refused === exchanges,
    urls,
    honest_urls: honest,
    ...counts,
    control_urls: control,
    control_attempts_non_public: controlAttempts,
    control_families: `${reached.size} of ${dangerousFamilies.length}`,
    control_families_unreached: harmless,
    ...exchange,
    dns_queries: world.queries(),
    seconds: Math.round((performance.now() - began) / 100) / 10,
  };
}

/** Handles the same cases in every run, several at once. The order in which they finish does not matter. */
async function eachCase(
  total: number,
  make: (random: ReturnType<typeof seededRandom>, index: number) => HostileCase,
  handle: (hostile: HostileCase) => Promise<void>,
  progress: (done: number) => void,
): Promise<void> {
  const random = seededRandom(seed);
  let next = 0;
  const work = async () => {
    while (next < total) {
      const index = next++;
      if (index % 5_000 === 0) progress(index);
      await handle(make(random, index));
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  progress(total);
}

interface Plan {
  readonly dns: NonNullable<HostileCase['dns']>;
  readonly round: Record<RecordType, number>;
  lastId: Partial<Record<RecordType, number>>;
}

/**
 * Starts a DNS server that answers each case's name as the case specifies. `tryCase` requests a case's URL; without a policy it uses the
 * guard as production builds it.
 */
async function startWorld() {
  const plans = new Map<string, Plan>();
  let queries = 0;
  const answer = (name: string, type: RecordType, id: number): DnsAnswer => {
    queries += 1;
    const plan = plans.get(name);
    if (plan === undefined) return { addresses: [] };
    // On a busy machine the resolver repeats a query with the same id. Only a new query advances to the next round of answers.
    if (plan.lastId[type] !== id) plan.round[type] += 1;
    plan.lastId[type] = id;
    const { rounds, aliases } = plan.dns;
    return { aliases, addresses: rounds[Math.min(plan.round[type], rounds.length - 1)] ?? [] };
  };
  const server = await startLoopbackDns(answer);
  const resolver = new Resolver({ tries: 10 });
  resolver.setServers([server.server]);

  const tryCase = async ({ url, dns, registered }: HostileCase, policy?: TargetPolicy) => {
    const attempts: string[] = [];
    const connect = async (address: string) => {
      attempts.push(address);
      throw new Error('recorded only');
    };
    const outbound = createOutbound({ timeoutMs: 60_000, resolver, connect, ...(policy && { policy }) });
    const plan = dns && { dns, round: { A: -1, AAAA: -1 }, lastId: {} };
    if (plan) plans.set(plan.dns.name, plan);
    try {
      if (registered && !(await outbound.checkTarget(url)).allowed) return { outcome: 'not registered', attempts };
      // Query ids are random: the query of the delivery may have the same id as the query of the registration.
      if (plan) plan.lastId = {};
      await outbound.request(url, { method: 'POST', body: '{}' });
      throw new Error('An answer came, though nothing was connected');
    } catch (error) {
      if (error instanceof OutboundRefused) return { outcome: 'refused', attempts };
      if (error instanceof OutboundFailed && error.reason === 'unreachable') return { outcome: 'tried', attempts };
      throw new Error(`${url} brought an unforeseen error`, { cause: error });
    } finally {
      if (plan) plans.delete(plan.dns.name);
    }
  };
  return { tryCase, queries: () => queries, close: () => server.close() };
}

/**
 * Exchanges over real TLS. A server on the loopback plays a public host that redirects to an internal address. It also plays a peer other
 * than the vetted one, which must not receive a request.
 */
async function exchangeWithServers(exchanges: number) {
  const certificate = makeCertificate('DNS:*.exchange.test');
  let receivedRequests = 0;
  const server = createServer(certificate, (_request, response) => {
    receivedRequests += 1;
    response.writeHead(307, { location: 'https://169.254.169.254/latest/meta-data/' }).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  const attempts: string[] = [];
  const outboundTo = (address: string, disguisedAs?: string) =>
    createOutbound({
      timeoutMs: 10_000,
      ca: certificate.cert,
      resolver: { resolve4: async () => [address], resolve6: async () => [] },
      connect: async (target, _port, limits) => {
        attempts.push(target);
        const socket = await openTcp('127.0.0.1', port, limits);
        return disguisedAs ? Object.defineProperty(socket, 'remoteAddress', { value: disguisedAs }) : socket;
      },
    });
  let redirects = 0;
  let wrongPeers = 0;
  for (let index = 0; index < exchanges; index += 1) {
    const url = `https://host${index}.exchange.test/`;
    const { status } = await outboundTo('1.1.1.1', '1.1.1.1').request(url, { method: 'POST', body: '{}' });
    if (status === 307 && attempts.splice(0).join() === '1.1.1.1' && receivedRequests === index + 1) redirects += 1;
    const refusal: unknown = await outboundTo('1.0.0.1')
      .request(url)
      .catch((error: unknown) => error);
    if (
      refusal instanceof OutboundRefused &&
      attempts.splice(0).join() === '1.0.0.1' &&
      receivedRequests === index + 1
    ) {
      wrongPeers += 1;
    }
  }
  server.close();
  return { redirects_not_followed: redirects, wrong_peers_refused: wrongPeers };
}

/** `ip` is not installed everywhere. The ioctl does the same: SIOCSIFFLAGS on lo with IFF_UP and IFF_RUNNING. */
const withLoopback = `
  ip link set lo up 2>/dev/null || ifconfig lo up 2>/dev/null || python3 -c '
import fcntl, socket, struct
fcntl.ioctl(socket.socket(), 0x8914, struct.pack("16sh22x", b"lo", 0x41))' || exit 1
  exec "$@"`;
const inNamespace = ['unshare', '-rn', 'sh', '-c', withLoopback, 'sh'];

/** A message of the child to its parent, one JSON object per line. */
type Line = { readonly progress: Parameters<Progress> } | { readonly result: DrillResult };

async function runInNamespace({ size, progress }: DrillContext): Promise<DrillResult> {
  const [unshare, ...rest] = inNamespace as [string, ...string[]];
  const namespace = spawnSync(unshare, [...rest, 'true']).status === 0;
  const self = [process.execPath, fileURLToPath(import.meta.url), size, namespace ? 'namespace' : 'no-namespace'];
  const [command, ...words] = (namespace ? [...inNamespace, ...self] : self) as [string, ...string[]];
  const child = spawn(command, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  let result: DrillResult | undefined;
  for await (const text of createInterface({ input: child.stdout })) {
    const line = JSON.parse(text) as Line;
    if ('result' in line) result = line.result;
    else progress(...line.progress);
  }
  const [code, signal] = await exited;
  if (result === undefined) throw new Error(`The drill's process ended without a result (${signal ?? code})`);
  return { ...result, namespace };
}

if (import.meta.main) {
  const [size, namespace] = process.argv.slice(2);
  if (namespace === 'namespace' && Object.keys(networkInterfaces()).some((name) => name !== 'lo')) {
    throw new Error('This is no separate network namespace');
  }
  const send = (line: Line, then?: () => void) => process.stdout.write(`${JSON.stringify(line)}\n`, then);
  const result = await runCases(size === 'full' ? 'full' : 'small', (...args) => send({ progress: args }));
  // A connection that a broken guard left open would keep the process alive, and the drill would hang instead of failing.
  send({ result }, () => process.exit());
}
