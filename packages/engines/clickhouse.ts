import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Engine, Instance } from './engine.ts';
import { run } from './install.ts';

/**
 * The real engine, as the shared library that its vendor publishes to npm, so neither Docker nor a package repository is needed. With
 * Docker, compose.yaml runs the official server instead.
 */
const npmPackage = '@chdb/lib-linux-x64-gnu';
const version = '26.7.3-stable.1';

export const clickhouse: Engine = {
  name: 'clickhouse',
  ports: { http: 18123, tcp: 19000 },

  addresses: (instance) => ({
    CLICKHOUSE_URL: `http://tributary:${instance.password}@127.0.0.1:${instance.ports.http}`,
  }),

  program: (shared) => {
    const library = join(shared, 'clickhouse', 'node_modules', npmPackage, 'libchdb.so');
    return existsSync(library) ? library : undefined;
  },

  async install(shared) {
    if (process.platform !== 'linux' || process.arch !== 'x64') {
      throw new Error(
        'ClickHouse is fetched for Linux on x64 only; elsewhere start it with "docker compose up clickhouse".',
      );
    }
    const directory = join(shared, 'clickhouse');
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, 'package.json'), '{"private": true}\n');
    run('npm', 'install', '--prefix', directory, '--no-save', '--no-fund', '--no-audit', `${npmPackage}@${version}`);
  },

  async prepare(instance) {
    mkdirSync(join(instance.directory, 'data'), { recursive: true });
    writeFileSync(join(instance.directory, 'users.xml'), users(instance.password), { mode: 0o600 });
    const file = join(instance.directory, 'config.xml');
    // `joinShards` may have written it before.
    if (!existsSync(file)) writeFileSync(file, configuration(instance, []), { mode: 0o600 });
  },

  command: (instance, library) => ({
    program: 'python3',
    arguments: [
      join(import.meta.dirname, 'clickhouse_server.py'),
      library,
      join(instance.directory, 'data'),
      String(instance.ports.http),
      String(instance.ports.tcp),
      `--config-file=${join(instance.directory, 'config.xml')}`,
    ],
    stopSignal: 'SIGTERM',
  }),

  async answers(addresses) {
    try {
      const { origin, username, password } = new URL(addresses.CLICKHOUSE_URL ?? '');
      // fetch rejects URLs that contain a password, so the credentials go into a header.
      const basic = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64');
      const answer = await fetch(`${origin}/?query=SELECT%20version()`, {
        signal: AbortSignal.timeout(2_000),
        ...(username && { headers: { authorization: `Basic ${basic}` } }),
      });
      return answer.ok ? (await answer.text()).trim() : undefined;
    } catch {
      return undefined;
    }
  },
};

/** The engine's settings file. `shards` form the cluster "tributary"; empty for a single node. */
function configuration({ directory }: Instance, shards: readonly Instance[]): string {
  const replica = ({ ports, password }: Instance) =>
    `<host>127.0.0.1</host><port>${ports.tcp}</port><user>tributary</user><password>${password}</password>`;
  const listed = shards.map((shard) => `<shard><replica>${replica(shard)}</replica></shard>`);
  return `<clickhouse>
  <logger><level>warning</level></logger>
  <users_config>${join(directory, 'users.xml')}</users_config>
  <remote_servers>${listed.length ? `<tributary>${listed.join('')}</tributary>` : ''}</remote_servers>
</clickhouse>
`;
}

/** Makes these engines the shards of the cluster "tributary", in each engine's settings. */
export function joinShards(instances: readonly Instance[]): void {
  for (const instance of instances)
    writeFileSync(join(instance.directory, 'config.xml'), configuration(instance, instances), { mode: 0o600 });
}

/** The rights of the API and the worker; deploy/clickhouse-users.xml grants the same. */
export const clickhouseGrants = {
  reader: 'SELECT',
  writer: 'SELECT, INSERT, ALTER UPDATE, ALTER DELETE',
} as const;

const restrictedUser = (role: keyof typeof clickhouseGrants, password: string): string => `<tributary_${role}>
      <password>${password}</password>
      <networks><ip>127.0.0.1</ip></networks>
      <profile>default</profile>
      <quota>default</quota>
      <grants><query>GRANT ${clickhouseGrants[role]} ON *.*</query></grants>
    </tributary_${role}>`;

/**
 * The users of the engine. `tributary` may do everything except access files, URLs and other servers in statements. The engine's own
 * session logs in as `default`, which therefore has no password, and may only do what that session needs: listen, and count forever.
 */
const users = (password: string): string => `<clickhouse>
  <profiles><default/></profiles>
  <quotas><default/></quotas>
  <users>
    <default>
      <password></password>
      <networks><ip>127.0.0.1</ip></networks>
      <profile>default</profile>
      <quota>default</quota>
      <grants>
        <query>GRANT SYSTEM LISTEN ON *.*</query>
        <query>GRANT SELECT ON system.numbers</query>
      </grants>
    </default>
    <tributary>
      <password>${password}</password>
      <networks><ip>127.0.0.1</ip></networks>
      <profile>default</profile>
      <quota>default</quota>
      <grants>
        <query>GRANT ALL ON *.* WITH GRANT OPTION</query>
        <query>REVOKE SOURCES ON *.*</query>
      </grants>
    </tributary>
    ${restrictedUser('reader', password)}
    ${restrictedUser('writer', password)}
  </users>
</clickhouse>
`;
