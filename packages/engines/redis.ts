import { mkdirSync } from 'node:fs';
import { connect as connectSocket } from 'node:net';
import { join } from 'node:path';
import type { Engine } from './engine.ts';
import { aptInstall, which } from './install.ts';

export const redis: Engine = {
  name: 'redis',
  ports: { main: 16379 },

  addresses: (place) => ({ REDIS_URL: `redis://127.0.0.1:${place.ports.main}` }),

  program: () => which('redis-server', '/usr/bin') ?? which('valkey-server', '/usr/bin'),

  install: async () => aptInstall('redis-server'),

  prepare: async (place) => {
    mkdirSync(join(place.directory, 'data'), { recursive: true });
  },

  command: (place, program) => ({
    program,
    // Nothing in Redis is the only copy of anything, so nothing is written to disk.
    arguments: [
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
      const { hostname, port } = new URL(addresses.REDIS_URL as string);
      const socket = connectSocket({ host: hostname, port: Number(port || 6379), timeout: 2_000 });
      const finish = (version?: string) => {
        socket.destroy();
        resolve(version);
      };
      socket.once('connect', () => socket.write('INFO server\r\n'));
      socket.once('data', (data) => finish(/(?:redis|valkey)_version:(\S+)/.exec(data.toString())?.[1]));
      socket.once('error', () => finish());
      socket.once('timeout', () => finish());
    }),
};
