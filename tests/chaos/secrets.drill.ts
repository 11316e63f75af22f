import { execFileSync } from 'node:child_process';
import { pgDump } from '@tributary/postgres';
import { buildProfile, type Drill, openApi, openDrillKit } from '@tributary/testkit';

const sizes = { small: 60, full: 1_000 } as const;

/** Plants secrets of every kind through the real API, then looks for them in a dump of all tables and in every log line. */
export const drill: Drill = {
  name: 'secrets',
  promise: 'No secret that was handed out can be read from a dump of the tables or from the logs.',

  async run({ size, progress }) {
    const wanted = sizes[size];
    const kit = await openDrillKit('drill-secrets', ['postgres', 'redis']);
    const api = await openApi(kit);
    const planted: string[] = [];
    try {
      while (planted.length < wanted) {
        const app = await api.registerApp();
        const unbound = await app.token();
        planted.push(app.clientSecret, unbound.authorization.slice('Bearer '.length));
        const profile = await provision(api, unbound);
        const bound = await app.token(profile);
        planted.push(bound.authorization.slice('Bearer '.length));
        for (let index = 0; index < 5; index += 1) {
          const { body } = await post(api, '/api/v1/keys', { ...bound, 'idempotency-key': `k-${planted.length}` }, {});
          planted.push(body.data.key);
        }
        progress(Math.min(planted.length, wanted), wanted);
      }
      // A response that shows a secret once is stored for idempotent repeats, and must be stored encrypted.
      await buildProfile(kit.app);
      const { host, pathname, password } = new URL(kit.database.ownerUrl);
      const dump = execFileSync(pgDump(), ['--data-only', `postgres://postgres:${password}@${host}${pathname}`], {
        encoding: 'latin1',
        maxBuffer: 1 << 30,
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      const logs = api.logLines.join('\n');
      const encodings = (secret: string) => [
        secret,
        Buffer.from(secret).toString('hex'),
        Buffer.from(secret).toString('base64').slice(0, 40),
      ];
      const hits = (text: string) =>
        planted.filter((secret) => encodings(secret).some((encoded) => text.includes(encoded))).length;
      const result = { in_tables: hits(dump), in_logs: hits(logs) };
      // The control: the same search must find a secret that is present.
      const control = hits(`${dump}${planted[0]}`);
      return {
        passed:
          result.in_tables === 0 &&
          result.in_logs === 0 &&
          control === 1 &&
          dump.length > 10_000 &&
          api.logLines.length > planted.length,
        planted: planted.length,
        ...result,
        control_found: control,
        dump_bytes: dump.length,
        log_lines: api.logLines.length,
      };
    } finally {
      await api.close();
      await kit.close();
    }
  },
};

type Api = Awaited<ReturnType<typeof openApi>>;

async function post(api: Api, url: string, headers: object, body: object, method: 'POST' | 'PUT' = 'POST') {
  const response = await api.fastify.inject({
    method,
    url,
    headers: { ...headers, 'content-type': 'application/json' },
    payload: JSON.stringify(body),
  });
  if (response.statusCode >= 300) throw new Error(`${url}: ${response.body}`);
  return { body: response.json() };
}

async function provision(api: Api, unbound: object): Promise<string> {
  const workspace = await post(api, '/api/v1/workspaces', unbound, { name: 'Drill' });
  const profile = await post(api, '/api/v1/profiles', unbound, { workspace_id: workspace.body.data.id, name: 'Drill' });
  const id = profile.body.data.id as string;
  await post(api, `/api/v1/profiles/${id}/grant`, unbound, { scopes: ['analytics'] }, 'PUT');
  return id;
}
