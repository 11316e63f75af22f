import { mkdirSync, writeFileSync } from 'node:fs';
import { connect as connectSocket } from 'node:net';
import { join } from 'node:path';
import type { Engine } from './engine.ts';
import { aptInstall, which } from './install.ts';

export const redis: Engine = {
  name: 'redis',
  ports: { main: 16379 },

  addresses: (instance) => ({ REDIS_URL: `redis://:${instance.password}@127.0.0.1:${instance.ports.main}` }),

  program: () => which('redis-server', '/usr/bin') ?? which('valkey-server', '/usr/bin'),

  install: async () => aptInstall('redis-server'),

  prepare: async (instance) => {
    mkdirSync(join(instance.directory, 'data'), { recursive: true });
    // In a file, because process arguments are visible to all users.
    writeFileSync(join(instance.directory, 'redis.conf'), `requirepass "${instance.password}"\n`, { mode: 0o600 });
  },

  command: (instance, program) => ({
    program,
    // Redis never holds the only copy of any data, so nothing is written to disk.
    arguments: [
      join(instance.directory, 'redis.conf'),
      '--bind',
      '127.0.0.1',
      '--port',
      String(instance.ports.main),
      '--dir',
      join(instance.directory, 'data'),
      '--save',
      '',
      '--appendonly',
      'no',
      '--maxmemory',
      '256mb',
      '--maxmemory-policy',
      'volatile-lru',
    ],
    stopSignal: 'SIGTERM',
  }),

  answers: (addresses) =>
    new Promise((resolve) => {
      const { hostname, port, username, password } = new URL(addresses.REDIS_URL as string);
      const login = password
        ? `AUTH ${[username, password]
            .filter((part) => part !== '')
            .map(decodeURIComponent)
            .join(' ')}\r\n`
        : '';
      const socket = connectSocket({ host: hostname, port: Number(port || 6379), timeout: 2_000 });
      const finish = (version?: string) => {
        socket.destroy();
        resolve(version);
      };
      socket.once('connect', () => socket.write(`${login}INFO server\r\n`));
      let received = '';
      socket.on('data', (data) => {
        received += data.toString();
        const version = /(?:redis|valkey)_version:(\S+)/.exec(received)?.[1];
        if (version || /^-/m.test(received)) finish(version);
      });
      socket.once('error', () => finish());
      socket.once('timeout', () => finish());
    }),
};
