import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { loadSettings } from '@tributary/config';
import { freePort } from '@tributary/testkit';
import { expect, test } from 'vitest';
import { runLocal } from './run-local.ts';

test.each([
  ['PORT', 'BASE_URL'],
  ['COLLECTOR_PORT', 'COLLECTOR_URL'],
  ['PROVIDER_WEBHOOKS_PORT', 'API_URL'],
])(
  'dev names the taken port and exits with 1 if another process answers at %s',
  { timeout: 60_000 },
  async (portName, urlName) => {
    const other = createServer((_request, response) => response.end('ready')).listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts'), 'dev'], {
      env: {
        ...process.env,
        PORT: String(await freePort(0)),
        BASE_URL: 'http://127.0.0.1',
        COLLECTOR_PORT: String(await freePort(0)),
        PROVIDER_WEBHOOKS_PORT: String(await freePort(0)),
        [portName]: String(port),
        [urlName]: `http://127.0.0.1:${port}`,
      },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (output += bytes));
    const [code] = await once(child, 'exit');
    other.close();
    expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining(`Port ${port} is in use`) });
    expect(output).not.toContain('Tributary runs');
  },
);

test('fails when a process dies at start, and stops the others', { timeout: 60_000 }, async () => {
  const [port, collectorPort] = [await freePort(0), await freePort(0)];
  const urls = { BASE_URL: `http://127.0.0.1:${port}`, COLLECTOR_URL: `http://127.0.0.1:${collectorPort}` };
  const ports = { COLLECTOR_PORT: String(collectorPort), PROVIDER_WEBHOOKS_PORT: String(await freePort(0)) };
  const environment = { ...process.env, ...urls, ...ports, PORT: 'none' };
  const settings = loadSettings({ ...environment, PORT: String(port) });
  await expect(runLocal({ environment, settings }, 'ready')).rejects.toThrow(/exited with code 1 before it was ready/);
});
