import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Scope } from '@tributary/contract';
import type { Postgres } from '@tributary/postgres';
import { buildApiKey, buildProfile, buildTrackingKey, freePort } from '@tributary/testkit';
import { Agent, request } from 'undici';
import { v7 as uuid } from 'uuid';
import { AppProcess } from '../app-process.ts';
import { openVisitsScene, type VisitsScene } from '../visits-scene.ts';

export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: Attacks read arbitrary responses.
  readonly json: any;
}

export interface Call {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Client address, sent as the trusted proxy would send it. */
  readonly from?: string;
}

/** A complete deployment with default limits behind a local proxy: api, collector and worker with separate engines. */
export interface Deployment extends Omit<VisitsScene, 'close'> {
  readonly api: AppProcess;
  readonly apiPort: number;
  readonly collectorPort: number;
  /** The process that receives provider webhooks. */
  readonly webhooks: AppProcess;
  readonly webhooksPort: number;
  /** Request bodies that the external language model received. */
  readonly prompts: readonly string[];
  callApi(path: string, call?: Call): Promise<ApiResponse>;
  /** Sends visits as a browser with that address would. A string is sent unchanged. */
  sendVisits(key: string, visits: readonly unknown[] | string, from?: string): Promise<ApiResponse>;
  createTenant(scopes?: readonly Scope[]): Promise<Tenant>;
  /** Runs an operator command. Resolves to its output and whether it succeeded. */
  runCommand(...args: string[]): Promise<{ readonly ok: boolean; readonly text: string }>;
  close(): Promise<void>;
}

export interface Tenant {
  readonly profileId: string;
  readonly workspaceId: string;
  readonly key: string;
  readonly headers: Readonly<Record<string, string>>;
}

const root = join(import.meta.dirname, '../../..');

export async function openDeployment(set: string): Promise<Deployment> {
  const model = await openModel();
  const [apiPort, webhooksPort] = [await freePort(), await freePort()];
  const settings = {
    PORT: String(apiPort),
    HOST: '127.0.0.1',
    PROVIDER_WEBHOOKS_PORT: String(webhooksPort),
    TRUSTED_PROXIES: '127.0.0.1',
    COLLECTOR_REQUESTS_PER_MINUTE: '3000',
    STREAM_MAX_MEGABYTES: '64',
    MODEL_BASE_URL: model.url,
    MODEL_NAME: 'drill',
    MODEL_IN_PRIVATE_NETWORK: 'true',
  };
  const scene = await openVisitsScene(set, settings);
  const api = new AppProcess('api', 'api listens', scene.environment);
  const webhooks = new AppProcess('provider-webhooks', 'provider-webhooks listens', scene.environment);
  await Promise.all([api.start(), webhooks.start()]);
  const agent = new Agent({ connections: 64, pipelining: 1 });
  const collectorPort = Number(scene.environment.COLLECTOR_PORT);

  const send = async (url: string, { method, headers, body, from }: Call): Promise<ApiResponse> => {
    const isText = typeof body === 'string' || Buffer.isBuffer(body);
    const response = await request(url, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(from && { 'x-forwarded-for': from }),
        ...headers,
      },
      ...(body !== undefined && { body: isText ? body : JSON.stringify(body) }),
      dispatcher: agent,
      headersTimeout: 60_000,
    });
    const text = await response.body.text();
    return { status: response.statusCode, headers: response.headers, text, json: parseJson(text) };
  };

  return {
    ...scene,
    api,
    apiPort,
    collectorPort,
    webhooks,
    webhooksPort,
    prompts: model.prompts,
    callApi: (path, call = {}) => send(`http://127.0.0.1:${apiPort}${path}`, call),
    sendVisits: (key, visits, from = '198.51.100.7') =>
      send(`http://127.0.0.1:${collectorPort}/v1/visits`, {
        body: `{"key":"${key}","client_id":"${uuid()}","visits":${typeof visits === 'string' ? visits : JSON.stringify(visits)}}`,
        headers: {
          'content-type': 'text/plain',
          origin: 'https://shop.example',
          'user-agent': 'Mozilla/5.0 Firefox/140.0',
        },
        from,
      }),
    createTenant: (scopes) => openTenant(scene.postgres, scopes),
    async runCommand(...args) {
      try {
        const env = { ...process.env, ...scene.environment, DATABASE_OWNER_URL: scene.engines.database.ownerUrl };
        const { stdout } = await promisify(execFile)(process.execPath, [join(root, 'apps/cli/main.ts'), ...args], {
          env,
        });
        return { ok: true, text: stdout };
      } catch (error) {
        const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
        return { ok: false, text: `${stdout}${stderr}` };
      }
    },
    async close() {
      await Promise.all([api.kill(), webhooks.kill(), agent.close(), model.close()]);
      await scene.close();
    },
  };
}

const defaultScopes: readonly Scope[] = [
  'customers:read',
  'conversions:read',
  'campaigns:read',
  'analytics:read',
  'attribution:write',
];

async function openTenant(postgres: Postgres, scopes: readonly Scope[] = defaultScopes): Promise<Tenant> {
  const { id: profileId, workspaceId } = await buildProfile(postgres);
  const { key } = await buildTrackingKey(postgres, profileId);
  const { headers } = await buildApiKey(postgres, profileId, { scopes });
  return { profileId, workspaceId, key, headers };
}

/** Starts a fake language model that always returns the same sentence and stores every request body. */
async function openModel() {
  const prompts: string[] = [];
  const server = createServer(async (incoming, outgoing) => {
    let body = '';
    for await (const chunk of incoming) body += chunk;
    prompts.push(body);
    outgoing.setHeader('content-type', 'application/json');
    outgoing.end(JSON.stringify({ choices: [{ message: { role: 'assistant', content: 'They came and bought.' } }] }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    prompts,
    close: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
