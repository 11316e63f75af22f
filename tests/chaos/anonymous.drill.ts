import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { consoleDirectory } from '@tributary/console/build.ts';
import { buildMember, type Drill } from '@tributary/testkit';
import { Agent } from 'undici';
import { type AnonymousRequest, anonymousRequests, sendRepeatedly } from './anonymous-requests.ts';
import { openDeployment } from './attack/deployment.ts';
import { cpuMs } from './attack/measure.ts';

/**
 * `warm`: warm-up requests. `maxMs`: limit of processor time per request. The small size runs in parallel with other drills on a shared
 * processor, so it only finds requests that are many times too expensive.
 */
const sizes = {
  small: { warm: 5, times: 20, rounds: 1, maxMs: 10 },
  full: { warm: 40, times: 80, rounds: 3, maxMs: 2 },
} as const;

/** ANONYMOUS=word selects the requests whose name contains the word. */
const nameFilter = process.env.ANONYMOUS ?? '';

/** How long idle CPU usage is measured. The CPU clock has ticks of 10 ms. */
const idleMs = 2_000;

export const drill: Drill = {
  name: 'anonymous',
  promise: 'A request without a credential uses at most 2 ms of processor time, except requests with a low rate limit.',

  async run({ size, progress }) {
    const { warm, times, rounds, maxMs } = sizes[size];
    const deployment = await openDeployment('drill-anonymous');
    const agent = new Agent({ connections: 4, pipelining: 1 });
    try {
      const { workspaceId } = await deployment.createTenant();
      // Without any account, every console page redirects to the first-account page.
      await buildMember(deployment.postgres, workspaceId, 'owner', 'person.test', new Date());
      const redirectUri = 'https://assistant.example/callback';
      const registered = await deployment.callApi('/oauth2/register', {
        body: { client_name: 'A', redirect_uris: [redirectUri], token_endpoint_auth_method: 'none' },
      });
      const clientId = String(registered.json?.client_id);
      const requests = anonymousRequests({
        trackingKey: deployment.key,
        clientId,
        redirectUri,
        assets: assets(),
      }).filter(({ name }) => name.includes(nameFilter));
      const { api, apiPort, collector, collectorPort, webhooks, webhooksPort } = deployment;
      const servers = {
        api: [api.pid, apiPort],
        collector: [collector.pid, collectorPort],
        webhooks: [webhooks.pid, webhooksPort],
      } as const;
      const idle = await idleShare(Object.values(servers).map(([pid]) => pid));
      const rows: Row[] = [];
      for (const [index, request] of requests.entries()) {
        progress(index, requests.length, request.name);
        const [pid, port] = servers[request.server];
        await sendRepeatedly(request, port, warm, agent);
        const costs: number[] = [];
        let statuses: Record<string, number> = {};
        for (let round = 0; round < rounds; round += 1) {
          const [before, startedAt] = [cpuMs(pid), performance.now()];
          statuses = await sendRepeatedly(request, port, times, agent);
          const idleCpuMs = (performance.now() - startedAt) * (idle.get(pid) ?? 0);
          costs.push(Math.max(0, cpuMs(pid) - before - idleCpuMs) / times);
        }
        rows.push({ name: request.name, ms: round2(Math.min(...costs)), statuses: describe(statuses), request });
      }
      const byCost = rows.toSorted((a, b) => b.ms - a.ms);
      const overLimit = byCost.filter(({ ms, request }) => ms > maxMs && !request.rateLimit);
      return {
        passed: overLimit.length === 0,
        requests: rows.length,
        limit_ms: maxMs,
        highest_ms: byCost.find(({ request }) => !request.rateLimit)?.ms,
        rate_limited_ms: Object.fromEntries(
          byCost.flatMap(({ name, ms, request }) => (request.rateLimit ? [[`${name}, ${request.rateLimit}`, ms]] : [])),
        ),
        over_limit: overLimit.map(({ name }) => name),
        ms: Object.fromEntries(byCost.map(({ name, ms, statuses }) => [name, `${ms} (${statuses})`])),
      };
    } finally {
      await agent.close();
      await deployment.close();
    }
  },
};

interface Row {
  readonly name: string;
  readonly ms: number;
  readonly statuses: string;
  readonly request: AnonymousRequest;
}

/** Share of a core that each idle process uses. */
async function idleShare(pids: readonly number[]): Promise<Map<number, number>> {
  const before = pids.map(cpuMs);
  await sleep(idleMs);
  return new Map(pids.map((pid, index) => [pid, (cpuMs(pid) - (before[index] ?? 0)) / idleMs]));
}

/** The largest console file, if the console is built. */
function assets(): string[] {
  try {
    const folder = join(consoleDirectory, 'assets');
    const [largest] = readdirSync(folder)
      .filter((name) => name.endsWith('.js'))
      .map((name) => [name, statSync(join(folder, name)).size] as const)
      .toSorted(([, a], [, b]) => b - a);
    readFileSync(join(consoleDirectory, 'index.html'));
    return largest ? [`/assets/${largest[0]}`] : [];
  } catch {
    return [];
  }
}

const describe = (statuses: Readonly<Record<string, number>>) =>
  Object.entries(statuses)
    .map(([status, count]) => (Object.keys(statuses).length === 1 ? status : `${count} × ${status}`))
    .join(', ');

const round2 = (value: number) => Math.round(value * 100) / 100;
