import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Engine } from './engine.ts';
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

  addresses: (place) => ({ CLICKHOUSE_URL: `http://127.0.0.1:${place.ports.http}` }),

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
    const file = join(place.directory, 'config.xml');
    // A cluster drill writes its own file beforehand.
    if (!existsSync(file)) writeFileSync(file, configuration([]));
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

/** The engine's settings file; the ports name the shards of the cluster "tributary", none for a single node. */
export function configuration(shardTcpPorts: readonly number[]): string {
  const shards = shardTcpPorts.map(
    (port) => `<shard><replica><host>127.0.0.1</host><port>${port}</port></replica></shard>`,
  );
  return `<clickhouse>
  <logger><level>warning</level></logger>
  <remote_servers>${shards.length ? `<tributary>${shards.join('')}</tributary>` : ''}</remote_servers>
</clickhouse>
`;
}
