import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { connect as connectSocket } from 'node:net';
import { join } from 'node:path';
import type { Engine, Instance } from './engine.ts';
import { freePort } from './free-port.ts';
import { run, unpackFromSuite } from './install.ts';

/** Older servers lose acknowledged messages in a crash: 2.10.23 fixes it, and sync_interval exists since 2.10. */
const oldestSafe = [2, 10, 27] as const;

export const nats: Engine = {
  name: 'nats',
  ports: { main: 14222 },

  addresses: (instance) => ({ NATS_URL: `nats://tributary:${instance.password}@127.0.0.1:${instance.ports.main}` }),

  program(shared) {
    const candidates = [
      join(shared, 'nats', 'usr/sbin/nats-server'),
      '/usr/sbin/nats-server',
      '/usr/local/bin/nats-server',
    ];
    return candidates.find((path) => existsSync(path) && isSafe(run(path, '--version')));
  },

  async install(shared) {
    const directory = join(shared, 'nats');
    mkdirSync(directory, { recursive: true });
    unpackFromSuite('trixie', 'nats-server', directory);
  },

  async prepare(instance) {
    mkdirSync(join(instance.directory, 'data'), { recursive: true });
    // The file exists if the server is part of a cluster (`joinNats`).
    const isClustered = existsSync(join(instance.directory, clusterFile));
    writeFileSync(
      join(instance.directory, 'nats.conf'),
      `listen: "127.0.0.1:${instance.ports.main}"
# A provider's webhook can have 2 MiB and must fit into one message.
max_payload: 4MB
authorization { user: tributary, password: "${instance.password}" }
jetstream {
  store_dir: "${join(instance.directory, 'data')}"
  # Acknowledge a visit only when it is on disk, not up to two minutes earlier.
  sync_interval: always
  max_memory_store: 256MB
  max_file_store: 20GB
}
${isClustered ? `include "./${clusterFile}"\n` : ''}`,
      { mode: 0o600 },
    );
  },

  command: (instance, program) => ({
    program,
    arguments: ['--config', join(instance.directory, 'nats.conf')],
    stopSignal: 'SIGTERM',
  }),

  /** The server greets every connection with a line that contains its version. */
  answers: (addresses) =>
    new Promise((resolve) => {
      const { hostname, port } = new URL(addresses.NATS_URL as string);
      const socket = connectSocket({ host: hostname, port: Number(port || 4222), timeout: 2_000 });
      const finish = (version?: string) => {
        socket.destroy();
        resolve(version);
      };
      socket.once('data', (data) => finish(/"version":"([^"]+)"/.exec(data.toString())?.[1]));
      socket.once('error', () => finish());
      socket.once('timeout', () => finish());
    }),
};

const clusterFile = 'cluster.conf';

/** Configures servers as one cluster, before any of them is started. */
export async function joinServers(instances: readonly Instance[]): Promise<void> {
  const ports: number[] = [];
  for (const _ of instances) ports.push(await freePort());
  const routes = ports.map((port) => `"nats-route://127.0.0.1:${port}"`).join(', ');
  for (const [index, { directory }] of instances.entries())
    writeFileSync(
      join(directory, clusterFile),
      `server_name: "n${index + 1}"\ncluster { name: tributary, listen: "127.0.0.1:${ports[index]}", routes: [${routes}] }\n`,
    );
}

function isSafe(versionText: string): boolean {
  const parts = /v(\d+)\.(\d+)\.(\d+)/.exec(versionText)?.slice(1).map(Number) ?? [];
  for (const [index, least] of oldestSafe.entries()) {
    const part = parts[index] ?? 0;
    if (part !== least) return part > least;
  }
  return true;
}
