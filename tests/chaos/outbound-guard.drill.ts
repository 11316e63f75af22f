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
 * Two nets under this drill. Its connections are only recorded, but for those that go to its own servers on the loopback; and
 * it runs in a child process in a network namespace that has no other interface, so that even a mistake here reaches nobody.
 */
export const drill: Drill = {
  name: 'outbound-guard',
  promise: 'No URL, however spelled and whatever DNS says of it, makes us connect to an address that is not public.',
  run: runInNamespace,
};

const sizes = {
  full: { urls: 1_000_000, control: 20_000, exchanges: 1_000 },
  small: { urls: 5_000, control: 2_000, exchanges: 50 },
} as const;
const seed = 20_250_613;
const atOnce = 128;
/** One honest URL for so many hostile ones. */
const honestEvery = 20;

/** What the guard is measured against: the same code, with a policy that lets everything pass. */
const unguarded: TargetPolicy = { schemes: ['https:', 'http:'], ports: 'any', admits: () => true };

const knownPublic = new BlockList();
for (const [network, bits] of publicNetworks) knownPublic.addSubnet(network, bits, isIPv6(network) ? 'ipv6' : 'ipv4');
const isKnownPublic = (address: string) => knownPublic.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');

type Progress = DrillContext['progress'];

async function strikeAll(size: DrillContext['size'], progress: Progress): Promise<DrillResult> {
  const began = performance.now();
  const { urls, control, exchanges } = sizes[size];
  const world = await startWorld();
  const counts = { refused: 0, allowed_public: 0, attempts_non_public: 0, wrong_verdicts: 0 };

  const honest = Math.ceil(urls / honestEvery);
  const judge = async (hostile: HostileCase) => {
    const { outcome, attempts } = await world.strike(hostile);
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
    const { attempts } = await world.strike(hostile, unguarded);
    const wrong = attempts.filter((address) => !isKnownPublic(address)).length;
    controlAttempts += wrong;
    if (wrong > 0) reached.add(hostile.family);
  };
  await eachCase(control, hostileCase, observe, (done) => progress(urls + honest + done, total, 'without the guard'));
  const harmless = dangerousFamilies.filter((family) => !reached.has(family));

  const met = await exchangeWithServers(exchanges);
  await world.close();
  return {
    passed:
      counts.attempts_non_public === 0 &&
      counts.wrong_verdicts === 0 &&
      counts.allowed_public >= honest &&
      controlAttempts > 0 &&
      harmless.length === 0 &&
      met.redirects_not_followed === exchanges &&
      met.wrong_peers_refused === exchanges,
    urls,
    honest_urls: honest,
    ...counts,
    control_urls: control,
    control_attempts_non_public: controlAttempts,
    control_families: `${reached.size} of ${dangerousFamilies.length}`,
    control_families_unreached: harmless,
    ...met,
    dns_queries: world.queries(),
    seconds: Math.round((performance.now() - began) / 100) / 10,
  };
}

/** The same cases at every run, some of them at once; the order of their answers decides nothing. */
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
  await Promise.all(Array.from({ length: atOnce }, work));
  progress(total);
}

interface Plan {
  readonly dns: NonNullable<HostileCase['dns']>;
  readonly round: Record<RecordType, number>;
  lastId: Partial<Record<RecordType, number>>;
}

/**
 * A DNS server that answers each case's name as the case says, and the attempt to get a case through. Unless a policy is given,
 * the guard is made as production makes it.
 */
async function startWorld() {
  const plans = new Map<string, Plan>();
  let queries = 0;
  const answer = (name: string, type: RecordType, id: number): DnsAnswer => {
    queries += 1;
    const plan = plans.get(name);
    if (plan === undefined) return { addresses: [] };
    // On a busy machine the resolver repeats questions; only a new question gets the next round.
    if (plan.lastId[type] !== id) plan.round[type] += 1;
    plan.lastId[type] = id;
    const { rounds, aliases } = plan.dns;
    return { aliases, addresses: rounds[Math.min(plan.round[type], rounds.length - 1)] ?? [] };
  };
  const server = await startLoopbackDns(answer);
  const resolver = new Resolver({ tries: 10 });
  resolver.setServers([server.server]);

  const strike = async ({ url, dns, registered }: HostileCase, policy?: TargetPolicy) => {
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
      // Ids are random: the delivery's question may happen to have the id of the registration's.
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
  return { strike, queries: () => queries, close: () => server.close() };
}

/**
 * The end of the way, over real TLS: a server on the loopback plays a public host that redirects inside, and plays a peer that
 * is not the vetted one, which must not hear a word.
 */
async function exchangeWithServers(exchanges: number) {
  const certificate = makeCertificate('DNS:*.exchange.test');
  let heard = 0;
  const server = createServer(certificate, (_request, response) => {
    heard += 1;
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
      connect: async (asked, _port, limits) => {
        attempts.push(asked);
        const socket = await openTcp('127.0.0.1', port, limits);
        return disguisedAs ? Object.defineProperty(socket, 'remoteAddress', { value: disguisedAs }) : socket;
      },
    });
  let redirects = 0;
  let wrongPeers = 0;
  for (let index = 0; index < exchanges; index += 1) {
    const url = `https://host${index}.exchange.test/`;
    const { status } = await outboundTo('1.1.1.1', '1.1.1.1').request(url, { method: 'POST', body: '{}' });
    if (status === 307 && attempts.splice(0).join() === '1.1.1.1' && heard === index + 1) redirects += 1;
    const refusal: unknown = await outboundTo('1.0.0.1')
      .request(url)
      .catch((error: unknown) => error);
    if (refusal instanceof OutboundRefused && attempts.splice(0).join() === '1.0.0.1' && heard === index + 1) {
      wrongPeers += 1;
    }
  }
  server.close();
  return { redirects_not_followed: redirects, wrong_peers_refused: wrongPeers };
}

/** `ip` is not everywhere; the ioctl is what it does: SIOCSIFFLAGS on lo with IFF_UP and IFF_RUNNING. */
const withLoopback = `
  ip link set lo up 2>/dev/null || ifconfig lo up 2>/dev/null || python3 -c '
import fcntl, socket, struct
fcntl.ioctl(socket.socket(), 0x8914, struct.pack("16sh22x", b"lo", 0x41))' || exit 1
  exec "$@"`;
const inNamespace = ['unshare', '-rn', 'sh', '-c', withLoopback, 'sh'];

/** What the child tells its parent, one JSON per line. */
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
  const say = (line: Line, then?: () => void) => process.stdout.write(`${JSON.stringify(line)}\n`, then);
  const result = await strikeAll(size === 'full' ? 'full' : 'small', (...args) => say({ progress: args }));
  // A connection that a broken guard left open would keep the process, and the drill would hang instead of failing.
  say({ result }, () => process.exit());
}
