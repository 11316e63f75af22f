import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { browserVisit, p95 } from '@tributary/testkit';
import type { Deployment, Tenant } from './deployment.ts';

/** Service quality for a legitimate tenant: p95 latencies of its requests and visits, and the number of rejections. */
export interface ServiceQuality {
  readonly requests_p95_ms: number;
  readonly visits_p95_ms: number;
  readonly asked: number;
  readonly refused: number;
}

/** Sends the requests and visits of a legitimate tenant at a steady rate and measures them. */
export async function measureService(
  { callApi, sendVisits }: Deployment,
  { key, headers }: Tenant,
  seconds: number,
): Promise<ServiceQuality> {
  const durations = { requests: [] as number[], visits: [] as number[] };
  let refused = 0;
  const until = performance.now() + seconds * 1_000;
  const pending: Promise<void>[] = [];
  const measure = async (kind: keyof typeof durations, send: () => Promise<{ status: number }>) => {
    const startedAt = performance.now();
    const status = await send().then(
      (response) => response.status,
      () => 0,
    );
    durations[kind].push(performance.now() - startedAt);
    if (status !== 200 && status !== 204) refused += 1;
  };
  for (let count = 0; performance.now() < until; count += 1) {
    pending.push(
      count % 2
        ? measure('requests', () =>
            callApi(count % 4 === 1 ? '/api/v1/profile' : '/api/v1/customers/search?q=an', { headers }),
          )
        : measure('visits', () => sendVisits(key, [browserVisit(new Date())], `198.51.100.${count % 200}`)),
    );
    await sleep(25);
  }
  await Promise.all(pending);
  return {
    requests_p95_ms: Math.round(p95(durations.requests)),
    visits_p95_ms: Math.round(p95(durations.visits)),
    asked: durations.requests.length + durations.visits.length,
    refused,
  };
}

/** Starts the attackers in a separate process, so that they do not use CPU of the measuring one. Resolves to a function that ends them. */
export async function startAttackers(
  { apiPort, collectorPort }: Deployment,
  attacker: Tenant,
): Promise<() => Promise<void>> {
  const child = fork(new URL('./besiegers.ts', import.meta.url), [
    JSON.stringify({ apiPort, collectorPort, key: attacker.key, authorization: attacker.headers.authorization }),
  ]);
  await once(child, 'message');
  return async () => {
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
}
