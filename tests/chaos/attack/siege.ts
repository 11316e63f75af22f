import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { browserVisit, p95 } from '@tributary/testkit';
import type { Deployment, Tenant } from './deployment.ts';

/** What an honest tenant met in so many seconds: how long its requests and visits took, 19 times of 20, and how many were refused. */
export interface Met {
  readonly requests_p95_ms: number;
  readonly visits_p95_ms: number;
  readonly asked: number;
  readonly refused: number;
}

/** The honest tenant's work at its own pace. */
export async function workHonestly(
  { ask, visit }: Deployment,
  { key, headers }: Tenant,
  seconds: number,
): Promise<Met> {
  const took = { requests: [] as number[], visits: [] as number[] };
  let refused = 0;
  const until = performance.now() + seconds * 1_000;
  const under: Promise<void>[] = [];
  const one = async (kind: keyof typeof took, send: () => Promise<{ status: number }>) => {
    const startedAt = performance.now();
    const status = await send().then(
      ({ status: answered }) => answered,
      () => 0,
    );
    took[kind].push(performance.now() - startedAt);
    if (status !== 200 && status !== 204) refused += 1;
  };
  for (let count = 0; performance.now() < until; count += 1) {
    under.push(
      count % 2
        ? one('requests', () => ask(count % 4 === 1 ? '/api/v1/profile' : '/api/v1/customers/search?q=an', { headers }))
        : one('visits', () => visit(key, [browserVisit(new Date())], `198.51.100.${count % 200}`)),
    );
    await sleep(25);
  }
  await Promise.all(under);
  return {
    requests_p95_ms: Math.round(p95(took.requests)),
    visits_p95_ms: Math.round(p95(took.visits)),
    asked: took.requests.length + took.visits.length,
    refused,
  };
}

/** Attackers in a process of their own, so that what they take is not taken from who measures. Resolves to what ends them. */
export async function besiege({ apiPort, collectorPort }: Deployment, attacker: Tenant): Promise<() => Promise<void>> {
  const child = fork(new URL('./besiegers.ts', import.meta.url), [
    JSON.stringify({ apiPort, collectorPort, key: attacker.key, authorization: attacker.headers.authorization }),
  ]);
  await once(child, 'message');
  return async () => {
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
}
