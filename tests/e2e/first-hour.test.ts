import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '@tributary/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openShopScene, type ShopScene } from './shop-scene.ts';

const root = join(import.meta.dirname, '../..');

/** The commands of the guide, in the order of the page. */
const steps = [
  ...readFileSync(join(root, 'docs/guides/first-hour.md'), 'utf8').matchAll(/```(\w+)\n([\s\S]*?)```/g),
].map(([, language = '', text = '']) => ({ language, text }));

let scene: ShopScene;
let listener: ChildProcess | undefined;
beforeAll(async () => {
  scene = await openShopScene({ localHosts: ['localhost'] });
});
afterAll(async () => {
  // Includes the child processes of npx.
  if (listener?.pid && listener.exitCode === null) process.kill(-listener.pid, 'SIGINT');
  await scene?.close();
});

test('the commands of the first-hour guide lead from nothing to a figure on which report, explanation and assistant agree', async () => {
  const { kit, api, collectorUrl } = scene;
  const apiUrl = await api.fastify.listen({ host: '127.0.0.1', port: 0 });
  const port = await freePort();
  const today = new Date().toISOString().slice(0, 10);
  /** Values that the reader copies from one response into the next command. */
  const copied: Record<string, string> = {};
  const environment: NodeJS.ProcessEnv = {
    ...process.env,
    DATABASE_APP_URL: kit.database.appUrl,
    DATABASE_OWNER_URL: kit.database.ownerUrl,
    DATABASE_SYSTEM_URL: kit.database.systemUrl,
    ENCRYPTION_KEYS: `test:${Buffer.alloc(32, 1).toString('base64')}`,
    BASE_URL: apiUrl,
    COLLECTOR_URL: collectorUrl,
    API_URL: apiUrl,
  };

  /** The next command of the guide that contains this text. */
  const left = [...steps];
  const next = (language: string, sign: string): string => {
    const at = left.findIndex((step) => step.language === language && step.text.includes(sign));
    expect(at, `The guide has "${sign}" next.`).toBe(0);
    return (left.shift()?.text ?? '')
      .replaceAll('2026-11-02', today)
      .replaceAll('4300', String(port))
      .replaceAll('http://127.0.0.1:4000', apiUrl)
      .replace(/(\w+)=\S*…/g, (_, name: string) => `${name}=${copied[name]}`)
      .replaceAll('whsec_…', copied.secret ?? '');
  };
  const run = async (command: string): Promise<string> => {
    kit.clock.set(new Date());
    const { stdout } = await promisify(execFile)('bash', ['-ec', command], { cwd: root, env: environment });
    return stdout;
  };
  const ask = async (command: string) => {
    const answer = JSON.parse(await run(command));
    expect(answer.error, JSON.stringify(answer)).toBeUndefined();
    return answer;
  };

  const made = await run(next('sh', 'npx tributary init'));
  copied.API_KEY = /trib_live_\w+/.exec(made)?.[0] ?? '';
  environment.API_KEY = copied.API_KEY;
  expect(await run(`${next('sh', 'export API_URL')} echo $API_URL $API_KEY`)).toBe(`${apiUrl} ${copied.API_KEY}\n`);

  const tag = /<script[\s\S]*<\/script>/.exec(made)?.[0];
  scene.html = `<!doctype html><html><head>${tag}</head><body><h1>Shop</h1></body></html>`;
  const visitor = await scene.newVisitor();
  const page = await visitor.newPage();
  const tagged = next('text', 'utm_source').trim();
  const isSent = () => page.waitForResponse((response) => response.url().endsWith('/v1/visits'));
  const [landed] = await Promise.all([isSent(), page.goto(tagged.replace('https://your-site.example', scene.origin))]);
  const [visitResponse] = await Promise.all([isSent(), page.evaluate(next('js', 'identify'))]);
  expect([landed.status(), visitResponse.status()]).toEqual([204, 204]);

  await ask(next('sh', '/api/v1/spend'));
  const payment = await ask(next('sh', '/api/v1/events'));
  expect(payment.data ?? payment).not.toHaveProperty('warnings');

  const report = next('sh', '/api/v1/campaigns?');
  const row = () => ask(report).then(({ data }) => data[0]);
  await expect.poll(row).toMatchObject({ campaign_name: 'Winter', spend: 40, outcome_value: 199.9, roas: 4.9975 });
  copied.CAMPAIGN_ID = (await row()).campaign_id;
  const { data: explained } = await ask(next('sh', '/api/v1/explain'));
  expect(explained).toMatchObject({ field: 'outcome_value', row_count: 1, contributes: explained.value });
  expect(Number(explained.value)).toBe(199.9);

  const { data: subscription } = await ask(next('sh', '/webhooks/subscriptions'));
  copied.secret = subscription.secret;
  copied.SUBSCRIPTION_ID = subscription.id;
  let output = '';
  listener = spawn('bash', ['-c', `exec ${next('sh', 'webhooks listen')}`], {
    cwd: root,
    env: environment,
    detached: true,
  });
  listener.stdout?.on('data', (text: Buffer) => {
    output += text;
  });
  await expect.poll(() => output).toContain('Listening at');
  await run(next('sh', '/webhooks/test/'));
  await expect.poll(() => output).toMatch(/verified\n[\s\S]*"type": "recompute.completed"/);

  const response = await run(next('sh', '/mcp'));
  const { data: ofAssistant } = JSON.parse(JSON.parse(response).result.content[0].text);
  expect(ofAssistant[0]).toMatchObject({ campaign_id: copied.CAMPAIGN_ID, outcome_value: Number(explained.value) });
  expect(left).toEqual([]);
  await visitor.close();
});
