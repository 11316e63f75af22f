import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Supervisor } from '@tributary/engines';
import { createClient } from '@tributary/sdk';
import { freePort } from '@tributary/testkit';
import { afterAll, expect, test } from 'vitest';

const set = `demo-test-${process.pid}`;
let running: ChildProcess | undefined;
afterAll(async () => {
  running?.kill('SIGKILL');
  await new Supervisor(set).destroy();
});

/** What it said, from the first line to the last. */
async function start(): Promise<{ said: string; stop(): Promise<void> }> {
  const [port, collectorPort] = [await freePort(0), await freePort(0)];
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, 'main.ts'), 'demo', '--people', '150', '--set', set],
    {
      env: {
        ...process.env,
        PORT: String(port),
        BASE_URL: `http://127.0.0.1:${port}`,
        COLLECTOR_PORT: String(collectorPort),
        COLLECTOR_URL: `http://127.0.0.1:${collectorPort}`,
      },
    },
  );
  running = child;
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (said += bytes));
  const ended = once(child, 'exit');
  await Promise.race([expect.poll(() => said, { timeout: 150_000 }).toContain('Ctrl-C stops it'), ended]);
  expect(said).toContain('The demo runs');
  return {
    said,
    async stop() {
      child.kill('SIGINT');
      expect(await ended).toEqual([0, null]);
    },
  };
}

type Row = { readonly campaign_name: string; readonly spend: number; readonly outcome_count: number };
const read = (said: string, pattern: RegExp) => pattern.exec(said)?.[1] ?? '';

test('the demo says who to sign in as and what to ask, and a second start shows the same market', async () => {
  const first = await start();
  const [email, password] = [read(first.said, /e-mail +(\S+)/), read(first.said, /password +(\S+)/)];
  const baseUrl = read(first.said, /(http:\S+) +the console/);
  await createClient({ baseUrl, session: {} }).signIn({ body: { email, password } });
  expect(await (await fetch(baseUrl)).text()).toContain('<div id="root">');
  const address = read(first.said, /curl "([^"]+)"/);
  const key = read(first.said, /Bearer (\w+)/);
  const ask = async (url: string) =>
    (await (await fetch(url, { headers: { authorization: `Bearer ${key}` } })).json()) as { data: Row[] };
  const { data: before } = await ask(address);
  expect(before.length).toBeGreaterThan(0);
  expect(before.some(({ spend, outcome_count: payments }) => spend > 0 && payments > 0)).toBe(true);
  expect(first.said).toContain('150 of 150 people');
  expect(first.said).not.toContain('Not everything could be set up');
  await first.stop();

  const second = await start();
  expect(second.said).not.toContain('people,');
  expect(read(second.said, /password +(\S+)/)).toBe(password);
  const { data: after } = await ask(address.replace(baseUrl, read(second.said, /(http:\S+) +the console/)));
  // The platforms go on telling, so figures grow; the ads are the same.
  const namesOf = (rows: readonly Row[]) => rows.map(({ campaign_name: name }) => name).toSorted();
  expect(namesOf(after)).toEqual(namesOf(before));
  await second.stop();
});
