import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Engine, Place } from './engine.ts';
import { run } from './install.ts';

/**
 * The real engine, as the shared library that its makers publish to npm: it needs neither Docker nor a package repository.
 * People with Docker get the official server from compose.yaml instead.
 */
const npmPackage = '@chdb/lib-linux-x64-gnu';
const version = '26.7.3-stable.1';

export const clickhouse: Engine = {
  name: 'clickhouse',
  ports: { http: 18123, tcp: 19000 },

  addresses: (place) => ({ CLICKHOUSE_URL: `http://tributary:${place.password}@127.0.0.1:${place.ports.http}` }),

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

  async prepare(place) {
    mkdirSync(join(place.directory, 'data'), { recursive: true });
    writeFileSync(join(place.directory, 'users.xml'), users(place.password), { mode: 0o600 });
    const file = join(place.directory, 'config.xml');
    // Whoever joins shards has written it before.
    if (!existsSync(file)) writeFileSync(file, configuration(place, []), { mode: 0o600 });
  },

  command: (place, library) => ({
    program: 'python3',
    arguments: [
      join(import.meta.dirname, 'clickhouse_server.py'),
      library,
      join(place.directory, 'data'),
      String(place.ports.http),
      String(place.ports.tcp),
      `--config-file=${join(place.directory, 'config.xml')}`,
    ],
    stopSignal: 'SIGTERM',
  }),

  async answers(addresses) {
    try {
      const { origin, username, password } = new URL(addresses.CLICKHOUSE_URL ?? '');
      // fetch refuses an address with a password in it, so that goes into a header.
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

/** The engine's settings file; the shards are those of the cluster "tributary", none for a single node. */
function configuration({ directory }: Place, shards: readonly Place[]): string {
  const replica = ({ ports, password }: Place) =>
    `<host>127.0.0.1</host><port>${ports.tcp}</port><user>tributary</user><password>${password}</password>`;
  const listed = shards.map((shard) => `<shard><replica>${replica(shard)}</replica></shard>`);
  return `<clickhouse>
  <logger><level>warning</level></logger>
  <users_config>${join(directory, 'users.xml')}</users_config>
  <remote_servers>${listed.length ? `<tributary>${listed.join('')}</tributary>` : ''}</remote_servers>
</clickhouse>
`;
}

/** Tells each of them of all: they are the shards of the cluster "tributary". */
export function joinShards(places: readonly Place[]): void {
  for (const place of places)
    writeFileSync(join(place.directory, 'config.xml'), configuration(place, places), { mode: 0o600 });
}

/** What the API and the worker may do; deploy/clickhouse-users.xml grants the same. */
export const clickhouseGrants = {
  reader: 'SELECT',
  writer: 'SELECT, INSERT, ALTER UPDATE, ALTER DELETE',
} as const;

const reduced = (who: keyof typeof clickhouseGrants, password: string): string => `<tributary_${who}>
      <password>${password}</password>
      <networks><ip>127.0.0.1</ip></networks>
      <profile>default</profile>
      <quota>default</quota>
      <grants><query>GRANT ${clickhouseGrants[who]} ON *.*</query></grants>
    </tributary_${who}>`;

/**
 * Who may ask what. Ours may do all but read and write files, addresses and other servers by statement. The engine's own session
 * comes in as `default`, which therefore has no password, and may do what that session does: listen, and count for ever.
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
    ${reduced('reader', password)}
    ${reduced('writer', password)}
  </users>
</clickhouse>
`;
