import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { consoleDirectory } from '@tributary/console/build.ts';
import { buildMember, type Drill } from '@tributary/testkit';
import { Agent } from 'undici';
import { type AnonymousRequest, anonymousRequests, sendOften } from './anonymous-requests.ts';
import { openDeployment } from './attack/deployment.ts';
import { cpuMs } from './attack/measure.ts';

/**
 * How often each request is sent, after so many that only warm up, and what it may take of a processor. A processor that is shared with
 * others does less in a millisecond: the small size, beside other drills, finds what is many times too expensive.
 */
const sizes = {
  small: { warm: 5, times: 20, rounds: 1, mostMs: 10 },
  full: { warm: 40, times: 80, rounds: 3, mostMs: 2 },
} as const;

/** ANONYMOUS=word sends only those whose name has it. */
const wanted = process.env.ANONYMOUS ?? '';

/** Ticks of the processor's clock are 10 ms, and the processes do a little by themselves. */
const idleMs = 2_000;

export const drill: Drill = {
  name: 'anonymous',
  promise:
    'No request without a credential costs more than 2 ms of processor time, except those of which only a few are taken.',

  async run({ size, progress }) {
    const { warm, times, rounds, mostMs } = sizes[size];
    const deployment = await openDeployment('drill-anonymous');
    const agent = new Agent({ connections: 4, pipelining: 1 });
    try {
      const { workspaceId } = await deployment.tenant();
      // Without anybody who has an account, each page of the console leads to the one that makes the first.
      await buildMember(deployment.postgres, workspaceId, 'owner', 'person.test', new Date());
      const redirectUri = 'https://assistant.example/callback';
      const registered = await deployment.ask('/oauth2/register', {
        body: { client_name: 'A', redirect_uris: [redirectUri], token_endpoint_auth_method: 'none' },
      });
      const clientId = String(registered.json?.client_id);
      const requests = anonymousRequests({
        trackingKey: deployment.key,
        clientId,
        redirectUri,
        assets: assets(),
      }).filter(({ name }) => name.includes(wanted));
      const { api, apiPort, collector, collectorPort } = deployment;
      const servers = { api: [api.pid, apiPort], collector: [collector.pid, collectorPort] } as const;
      const idle = await idleShare(Object.values(servers).map(([pid]) => pid));
      const rows: Row[] = [];
      for (const [at, one] of requests.entries()) {
        progress(at, requests.length, one.name);
        const [pid, port] = servers[one.server];
        await sendOften(one, port, warm, agent);
        const costs: number[] = [];
        let statuses: Record<string, number> = {};
        for (let round = 0; round < rounds; round += 1) {
          const [before, startedAt] = [cpuMs(pid), performance.now()];
          statuses = await sendOften(one, port, times, agent);
          const byItself = (performance.now() - startedAt) * (idle.get(pid) ?? 0);
          costs.push(Math.max(0, cpuMs(pid) - before - byItself) / times);
        }
        rows.push({ name: one.name, ms: round2(Math.min(...costs)), statuses: described(statuses), one });
      }
      const dearest = rows.toSorted((a, b) => b.ms - a.ms);
      const above = dearest.filter(({ ms, one }) => ms > mostMs && !one.few);
      return {
        passed: above.length === 0,
        requests: rows.length,
        most_ms: mostMs,
        dearest_ms: dearest.find(({ one }) => !one.few)?.ms,
        few_ms: Object.fromEntries(
          dearest.flatMap(({ name, ms, one }) => (one.few ? [[`${name}, ${one.few}`, ms]] : [])),
        ),
        above: above.map(({ name }) => name),
        ms: Object.fromEntries(dearest.map(({ name, ms, statuses }) => [name, `${ms} (${statuses})`])),
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
  readonly one: AnonymousRequest;
}

/** The part of a second that each process takes while nobody asks it anything. */
async function idleShare(pids: readonly number[]): Promise<Map<number, number>> {
  const before = pids.map(cpuMs);
  await sleep(idleMs);
  return new Map(pids.map((pid, at) => [pid, (cpuMs(pid) - (before[at] ?? 0)) / idleMs]));
}

/** The largest file of the console, where it is built. */
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

const described = (statuses: Readonly<Record<string, number>>) =>
  Object.entries(statuses)
    .map(([status, count]) => (Object.keys(statuses).length === 1 ? status : `${count} × ${status}`))
    .join(', ');

const round2 = (value: number) => Math.round(value * 100) / 100;
