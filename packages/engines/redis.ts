import { mkdirSync, writeFileSync } from 'node:fs';
import { connect as connectSocket } from 'node:net';
import { join } from 'node:path';
import type { Engine } from './engine.ts';
import { aptInstall, which } from './install.ts';

export const redis: Engine = {
  name: 'redis',
  ports: { main: 16379 },

  addresses: (place) => ({ REDIS_URL: `redis://:${place.password}@127.0.0.1:${place.ports.main}` }),

  program: () => which('redis-server', '/usr/bin') ?? which('valkey-server', '/usr/bin'),

  install: async () => aptInstall('redis-server'),

  prepare: async (place) => {
    mkdirSync(join(place.directory, 'data'), { recursive: true });
    // In a file of its own: whoever lists processes reads their arguments.
    writeFileSync(join(place.directory, 'redis.conf'), `requirepass "${place.password}"\n`, { mode: 0o600 });
  },

  command: (place, program) => ({
    program,
    // Nothing in Redis is the only copy of anything, so nothing is written to disk.
    arguments: [
      join(place.directory, 'redis.conf'),
      '--bind',
      '127.0.0.1',
      '--port',
      String(place.ports.main),
      '--dir',
      join(place.directory, 'data'),
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
      let heard = '';
      socket.on('data', (data) => {
        heard += data.toString();
        const version = /(?:redis|valkey)_version:(\S+)/.exec(heard)?.[1];
        if (version || /^-/m.test(heard)) finish(version);
      });
      socket.once('error', () => finish());
      socket.once('timeout', () => finish());
    }),
};
