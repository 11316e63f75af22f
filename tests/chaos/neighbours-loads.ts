import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { browserVisit } from '@tributary/testkit';
import { Agent, request } from 'undici';
import { v7 as uuid } from 'uuid';
import { apiLoads, type Counts, type HostileScene } from './neighbours-api-loads.ts';

const dayMs = 86_400_000;
const dayAgo = (days: number): string => new Date(Date.now() - days * dayMs).toISOString().slice(0, 10);
const year = `date_from=${dayAgo(365)}&date_to=${dayAgo(0)}`;
/** A random client address, as in a botnet. */
const address = () => ({ 'x-forwarded-for': `10.${[...randomBytes(3)].join('.')}` });
const json = { 'content-type': 'application/json' };
const bomb = gzipSync(Buffer.alloc(20 << 20, 'x'));

interface LoadRequest {
  readonly to: 'api' | 'collector';
  readonly path: string;
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/** Sends requests at a fixed rate without waiting for responses, with at most 200 in flight. Counts responses by status. */
async function flood(
  { port, collectorPort }: HostileScene,
  until: number,
  perSecond: number,
  requestOf: (n: number) => LoadRequest,
): Promise<Counts> {
  const agent = new Agent({ connections: 64, pipelining: 1 });
  const counts: Record<string, number> = {};
  const inFlight = new Set<Promise<void>>();
  const startedAt = performance.now();
  for (let n = 0; performance.now() < until; n += 1) {
    const { to, path, method = 'GET', headers, body } = requestOf(n);
    const url = `http://127.0.0.1:${to === 'api' ? port : collectorPort}${path}`;
    const one: Promise<void> = request(url, { method, headers: headers ?? {}, body: body ?? null, dispatcher: agent })
      .then(async (response) => {
        await response.body.dump();
        counts[response.statusCode] = (counts[response.statusCode] ?? 0) + 1;
      })
      .catch(() => {
        counts.none = (counts.none ?? 0) + 1;
      })
      .finally(() => inFlight.delete(one));
    inFlight.add(one);
    while (inFlight.size >= 200 && performance.now() < until) await sleep(5);
    const waitMs = startedAt + ((n + 1) / perSecond) * 1_000 - performance.now();
    if (waitMs > 0) await sleep(Math.min(waitMs, Math.max(0, until - performance.now())));
  }
  await Promise.race([Promise.all(inFlight), sleep(5_000)]);
  await agent.destroy();
  return counts;
}

const payment = (n: number) => ({
  event_name: 'payment_received',
  idempotency_key: uuid(),
  properties: { value: '1.00', currency: 'USD' },
  user_traits: { email: `ana${n % 30}@example.com` },
});

const pay = (scene: HostileScene, until: number) =>
  flood(scene, until, 40, (n) => ({
    to: 'api',
    path: '/api/v1/events',
    method: 'POST',
    headers: { ...scene.headers, ...json },
    body: JSON.stringify(payment(n)),
  }));

/** Hostile loads, one for each shared resource. Each runs until the given time. */
export const hostileLoads = {
  ...apiLoads,

  /** ClickHouse: the longest reports, at the rate limit. */
  'wide reports': (scene, until) => {
    const paths = [
      `/api/v1/campaigns?${year}&level=ad&model=linear`,
      `/api/v1/customers?${year}&goal=payment_received&limit=100`,
      `/api/v1/overview?${year}`,
      `/api/v1/cohorts?${year}`,
    ];
    return flood(scene, until, 20, (n) => ({ to: 'api', path: paths[n % 4] as string, headers: scene.headers }));
  },

  /** PostgreSQL: long lists. */
  'long lists': (scene, until) =>
    flood(scene, until, 20, () => ({
      to: 'api',
      path: `/api/v1/payments?from=${dayAgo(90)}&to=${dayAgo(0)}&limit=100`,
      headers: scene.headers,
    })),

  /** Attribution, webhooks and the worker: 40 single payments a second. */
  'single payments': (scene, until) => pay(scene, until),

  /** Outbound connections: webhooks to receivers that never respond. */
  'silent receivers': async (scene, until) => {
    const subscription = { url: scene.receiver, events: ['outcome.recorded'], providers: ['service'] };
    await flood(scene, performance.now() + 200, 10, () => ({
      to: 'api',
      path: '/api/v1/webhooks/subscriptions',
      method: 'POST',
      headers: { ...scene.headers, ...json },
      body: JSON.stringify(subscription),
    }));
    return pay(scene, until);
  },

  /** Background work: reconciliations on request. */
  reconciliations: (scene, until) =>
    flood(scene, until, 10, () => ({
      to: 'api',
      path: '/api/v1/reconciliations',
      method: 'POST',
      headers: { ...scene.headers, ...json },
      body: JSON.stringify({ date_from: dayAgo(90), date_to: dayAgo(0) }),
    })),

  /** PostgreSQL lookups: unknown API keys, from many addresses. */
  'unknown keys': (scene, until) =>
    flood(scene, until, 300, () => ({
      to: 'api',
      path: '/api/v1/profile',
      headers: { authorization: `Bearer trib_live_${randomBytes(24).toString('hex')}`, ...address() },
    })),

  /** Password hashing: wrong passwords, from many addresses. */
  'wrong passwords': (scene, until) =>
    flood(scene, until, 50, (n) => ({
      to: 'api',
      path: '/api/v1/account/sign-in',
      method: 'POST',
      headers: { ...json, origin: `http://127.0.0.1:${scene.port}`, ...address() },
      body: JSON.stringify({ email: `unknown${n}@example.com`, password: 'wrong-password-1' }),
    })),

  /** NATS and the collector: visits with a public tracking key, from many addresses. */
  'floods of visits': (scene, until) =>
    flood(scene, until, 100, () => ({
      to: 'collector',
      path: '/v1/visits',
      method: 'POST',
      headers: { 'content-type': 'text/plain', origin: 'https://shop.example', ...address() },
      body: JSON.stringify({
        key: scene.trackingKey,
        client_id: uuid(),
        visits: Array.from({ length: 20 }, () => browserVisit(new Date())),
      }),
    })),

  /** Memory: small bodies that decompress to 20 MB. */
  'compressed bodies': (scene, until) =>
    flood(scene, until, 40, (n) => ({
      to: n % 2 ? 'api' : 'collector',
      path: n % 2 ? '/api/v1/events' : '/v1/visits',
      method: 'POST',
      headers: { ...scene.headers, ...json, 'content-encoding': 'gzip' },
      body: bomb,
    })),

  /** Anonymous writes: client registrations, from many addresses. */
  'registered assistants': (scene, until) =>
    flood(scene, until, 50, (n) => ({
      to: 'api',
      path: '/oauth2/register',
      method: 'POST',
      headers: { ...json, ...address() },
      body: JSON.stringify({ client_name: `Assistant ${n}`, redirect_uris: ['https://assistant.example/callback'] }),
    })),

  /** Redis and stored responses: a new Idempotency-Key with every request. */
  'idempotency keys': (scene, until) =>
    flood(scene, until, 40, () => ({
      to: 'api',
      path: '/api/v1/customers',
      method: 'POST',
      headers: { ...scene.headers, ...json, 'idempotency-key': randomBytes(60).toString('hex') },
      body: JSON.stringify({ rows: [{ email: `${uuid()}@example.com` }] }),
    })),
} as const satisfies Record<string, (scene: HostileScene, until: number) => Promise<Counts>>;

export type HostileLoad = keyof typeof hostileLoads;

if (process.send) {
  const scene = JSON.parse(process.argv[2] ?? '{}') as HostileScene;
  process.on('disconnect', () => process.exit());
  process.on('message', ({ name, forMs }: { name: HostileLoad; forMs: number }) => {
    hostileLoads[name](scene, performance.now() + forMs).then(
      (counts) => process.send?.(counts),
      (error: unknown) => process.send?.({ error: String(error) }),
    );
  });
  process.send('ready');
}
