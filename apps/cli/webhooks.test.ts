import { type ChildProcess, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, expect, test } from 'vitest';

let listener: ChildProcess | undefined;
afterAll(() => void listener?.kill('SIGINT'));

test('webhooks listen verifies deliveries, prints them, and responds as configured', async () => {
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const args = ['webhooks', 'listen', '--secret', secret, '--port', '0', '--status', '503', '--json'];
  listener = spawn(process.execPath, [join(import.meta.dirname, 'main.ts'), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: listener.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
  const line = async () => JSON.parse((await lines.next()).value as string);
  const { url } = await line();
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const body = '{"id":"event-1","type":"recompute.completed"}';
  const signature = createHmac('sha256', Buffer.alloc(32, 7)).update(`event-1.${timestamp}.${body}`).digest('base64');
  const headers = { 'webhook-id': 'event-1', 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
  const post = async (sent: string) =>
    (await fetch(url.replace('localhost', '127.0.0.1'), { method: 'POST', headers, body: sent })).status;
  expect([await post(body), await line()]).toEqual([503, { verified: true, event: JSON.parse(body) }]);
  expect([await post(`${body} `), await line()]).toEqual([400, { verified: false, reason: 'No signature fits.' }]);
});
