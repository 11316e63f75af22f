import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '@tributary/testkit';
import { afterAll, expect, test } from 'vitest';
import { keyOf, signatureHeaders } from './delivery/signature.ts';
import { mintSecret } from './secrets.ts';

const folder = mkdtempSync(join(import.meta.dirname, '.guide-'));
let receiver: ChildProcess | undefined;
afterAll(() => {
  receiver?.kill();
  rmSync(folder, { recursive: true });
});

test('[hook-020] the receiver of the guide accepts a signed request once and nothing else', async () => {
  const guide = readFileSync(join(import.meta.dirname, '../../../docs/guides/webhooks.md'), 'utf8');
  const code = /```js\n([\s\S]*?)```/.exec(guide)?.[1] ?? '';
  expect(code.trim().split('\n').length).toBeLessThanOrEqual(22);
  const script = join(folder, 'receiver.mjs');
  writeFileSync(script, code);
  const [port, secret] = [await freePort(), mintSecret()];
  const env = { ...process.env, PORT: String(port), WEBHOOK_SECRET: secret };
  receiver = spawn(process.execPath, [script], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  receiver.stdout?.on('data', (chunk) => {
    printed += chunk;
  });
  const body = JSON.stringify({ id: 'event-1', type: 'recompute.completed', data: { profile_id: 'p' } });
  const headers = signatureHeaders([keyOf({ secret, until: null })], 'event-1', new Date(), body);
  const post = async (sent: string): Promise<number> => {
    for (;;) {
      try {
        return (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body: sent })).status;
      } catch {
        await sleep(50);
      }
    }
  };
  expect([await post(body), await post(body), await post(body.replace('"p"', '"q"'))]).toEqual([204, 204, 400]);
  await expect.poll(() => printed).toBe("recompute.completed { profile_id: 'p' }\n");
});
