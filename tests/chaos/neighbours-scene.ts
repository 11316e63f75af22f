import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buildApiKey, buildProfile, buildTrackingKey, freePort, Killable } from '@tributary/testkit';
import { request } from 'undici';
import { AppProcess } from './app-process.ts';
import { type HostileScene, requestsPerMinute } from './neighbours-api-loads.ts';
import type { HostileLoad } from './neighbours-loads.ts';
import { openVisitsScene } from './visits-scene.ts';

const exportBytes = 2_500_000;
const dayMs = 86_400_000;

export type Scene = Awaited<ReturnType<typeof openNeighbours>>;

/** API, collector and worker as separate processes, two tenants with customers and payments, and a process for the hostile loads. */
export async function openNeighbours() {
  const apiPort = await freePort();
  const scene = await openVisitsScene('drill-neighbours', async () => ({
    PORT: String(apiPort),
    HOST: '127.0.0.1',
    BASE_URL: `http://127.0.0.1:${apiPort}`,
    // Callers set their client address in X-Forwarded-For.
    TRUSTED_PROXIES: '127.0.0.1',
    COLLECTOR_REQUESTS_PER_MINUTE: '600',
    WEBHOOK_LOCAL_HOSTS: '127.0.0.1',
  }));
  const { postgres } = scene;
  const api = new AppProcess('api', 'api listens', scene.environment);
  await api.start();
  const collectorPort = Number(scene.environment.COLLECTOR_PORT);
  // A webhook receiver that never responds.
  const silent = createServer(() => {}).listen(0, '127.0.0.1');

  async function post(headers: Readonly<Record<string, string>>, path: string, body: object): Promise<void> {
    const { statusCode, body: answer } = await request(`http://127.0.0.1:${apiPort}${path}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    if (statusCode >= 300) throw new Error(`${path} answered ${statusCode}: ${text.slice(0, 200)}`);
  }

  async function openTenant(requestsPerMinute: number, payments: number) {
    const { id: profileId } = await buildProfile(postgres, { plan: 'scale' });
    const { headers } = await buildApiKey(postgres, profileId, {
      scopes: [
        'customers:read',
        'attribution:write',
        'campaigns:read',
        'analytics:read',
        'commerce:read',
        'conversions:read',
      ],
      requestsPerMinute,
    });
    const rows = Array.from({ length: 30 }, (_, n) => ({ email: `ana${n}@example.com`, first_name: 'Ana' }));
    await post(headers, '/api/v1/customers', { rows });
    for (let from = 0; from < payments; from += 500) {
      const events = Array.from({ length: 500 }, (_, n) => ({
        event_name: 'payment_received',
        idempotency_key: `past-${from + n}`,
        occurred_at: new Date(Date.now() - ((from + n) % 80) * dayMs - 60_000).toISOString(),
        properties: { value: '10.00', currency: 'USD' },
        user_traits: { email: `ana${n % 30}@example.com` },
      }));
      await post(headers, '/api/v1/events', { events });
    }
    const { key } = await buildTrackingKey(postgres, profileId);
    return { profileId, headers, key };
  }

  const [hostile, neighbour] = [await openTenant(requestsPerMinute, 3_000), await openTenant(60_000, 500)];
  // A customer with a large export.
  const parts = 100;
  for (let part = 0; part < parts; part += 1)
    await post(hostile.headers, '/api/v1/events', {
      event_name: 'survey_answered',
      user_traits: { email: 'ana0@example.com' },
      properties: { note: 'x'.repeat(exportBytes / parts) },
    });
  const found = await request(`http://127.0.0.1:${apiPort}/api/v1/customers/search?q=ana0`, {
    headers: hostile.headers,
  });
  const { data } = (await found.body.json()) as { data: { customer_profile_id: string }[] };
  const hostileScene: HostileScene = {
    port: apiPort,
    collectorPort,
    headers: hostile.headers,
    trackingKey: hostile.key,
    exportPath: `/api/v1/customers/${data[0]?.customer_profile_id}/export`,
    receiver: `http://127.0.0.1:${(silent.address() as AddressInfo).port}/hook`,
  };
  const loads = new Killable<'ready'>(join(import.meta.dirname, 'neighbours-loads.ts'), [JSON.stringify(hostileScene)]);
  await loads.start();
  return {
    apiPort,
    collectorPort,
    neighbour,
    postgres,
    clickhouse: scene.clickhouse,
    drained: scene.drained,
    /** Runs a hostile load in a separate process, so that it does not disturb the measurement. */
    async runLoad(name: HostileLoad, forMs: number): Promise<Readonly<Record<string, number>>> {
      const counts = await loads.ask<Record<string, number> | { error: string }>({ name, forMs });
      if (!counts || 'error' in counts) throw new Error(`The load "${name}" failed: ${counts?.error}`);
      return counts;
    },
    async close() {
      await loads.kill();
      silent.closeAllConnections();
      silent.close();
      await api.kill();
      await scene.close();
    },
  };
}
