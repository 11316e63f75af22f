import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Supervisor } from '@tributary/engines';
import { browserVisit, freePort } from '@tributary/testkit';
import { v7 as uuid } from 'uuid';
import { AppProcess } from '../chaos/app-process.ts';
import { migrationFiles } from './migration-files.ts';
import { checkOut, command } from './old-version.ts';
import { backupKeys, encryptionKeys, folderOf, questions } from './versions.ts';

/** node tests/upgrade/make.ts NAME COMMIT: makes that version record a small shop, and stores its backup and the responses of its reports. */
const [name, commit] = process.argv.slice(2);
if (!name || !commit) throw new Error('node tests/upgrade/make.ts NAME COMMIT');

const people = 40;
const dayMs = 86_400_000;
const clicks = [
  'utm_source=google&utm_medium=cpc&utm_campaign=brand',
  'utm_source=facebook&utm_medium=paid_social&campaign_id=120201000001&adset_id=120301000001&ad_id=120401000001',
  'utm_source=newsletter&utm_medium=email',
  '',
];

const directory = mkdtempSync(join(tmpdir(), 'earlier-'));
const supervisor = new Supervisor('upgrade-make');
const processes: AppProcess[] = [];
try {
  checkOut(commit, directory);
  await supervisor.destroy();
  const engines = await supervisor.start();
  const folder = folderOf(name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const [port, collectorPort] = [await freePort(), await freePort()];
  const environment = {
    ...engines,
    CLICKHOUSE_DATABASE: 'upgrade',
    STREAM_PREFIX: 'upgrade',
    ENCRYPTION_KEYS: encryptionKeys,
    BACKUP_KEYS: backupKeys,
    BACKUP_FOLDER: folder,
    PORT: String(port),
    BASE_URL: `http://127.0.0.1:${port}`,
    COLLECTOR_PORT: String(collectorPort),
    COLLECTOR_URL: `http://127.0.0.1:${collectorPort}`,
  };
  await command(directory, environment, 'migrate');
  const init = await command(directory, environment, 'init', 'Upgrade', '--email', 'owner@upgrade.example', '--json');
  const made = JSON.parse(init) as { api_key: string; snippet: string; profile_id: string };
  const key = /data-key="([^"]+)"/.exec(made.snippet)?.[1] ?? '';
  for (const [app, line] of [
    ['api', 'api listens'],
    ['collector', 'collector listens'],
    ['worker', 'worker runs'],
  ] as const)
    processes.push(new AppProcess(app, line, environment, directory));
  for (const one of processes) await one.start();

  const api = async (path: string, body?: object) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${made.api_key}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const received = (await answer.json()) as { readonly data: unknown };
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${JSON.stringify(received)}`);
    return received;
  };
  const now = Date.now();
  const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);
  // Nothing of the current day, so that later data cannot change the recorded responses.
  const [from, to] = [dayOf(now - 8 * dayMs), dayOf(now - dayMs)];
  await api('/api/v1/spend', {
    rows: [1, 2, 3, 4].map((back) => ({
      platform: 'meta',
      level: 'ad',
      external_id: '120401000001',
      name: 'spring, blue',
      campaign_external_id: '120201000001',
      campaign_name: 'spring',
      ad_set_external_id: '120301000001',
      ad_set_name: 'spring, all',
      date: dayOf(now - back * dayMs),
      currency: 'USD',
      spend: `${20 + back}.25`,
      impressions: 1000 * (back + 1),
      clicks: 20 * (back + 1),
    })),
  });
  for (let n = 0; n < people; n += 1) {
    const at = now - (2 + (n % 5)) * dayMs;
    const email = `person-${n}@upgrade.example`;
    const pages = [n, n + 1].map((index, step) => {
      const query = clicks[index % clicks.length];
      const landed = new Date(at + step * 3_600_000);
      return browserVisit(landed, { url: `https://shop.example/${n}${query ? `?${query}` : ''}` });
    });
    const identifiedVisit = browserVisit(new Date(at + 2 * 3_600_000), {
      url: 'https://shop.example/account',
      type: 'identify',
      traits: { email },
    });
    const sent = await fetch(`http://127.0.0.1:${collectorPort}/v1/visits`, {
      method: 'POST',
      headers: {
        'content-type': 'text/plain',
        'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
        origin: 'https://shop.example',
      },
      body: JSON.stringify({ key, client_id: uuid(), visits: [...pages, identifiedVisit] }),
    });
    if (sent.status !== 204) throw new Error(`The collector answered ${sent.status}.`);
    if (n % 4 === 3) continue;
    await api('/api/v1/events', {
      event_name: 'payment_received',
      idempotency_key: `order-${n}`,
      occurred_at: new Date(at + 3 * 3_600_000).toISOString(),
      properties: { value: `${10 + n}.${10 + n}`, currency: 'USD' },
      user_traits: { email, first_name: `P${n}` },
    });
  }
  const paths = questions({ from, to });
  const ask = async () =>
    Object.fromEntries(await Promise.all(paths.map(async (path) => [path, (await api(path)).data])));
  // Waits until the responses no longer change.
  let answers = await ask();
  for (let same = 0; same < 3; ) {
    await sleep(2_000);
    const next = await ask();
    same = JSON.stringify(next) === JSON.stringify(answers) ? same + 1 : 0;
    answers = next;
  }
  await command(directory, environment, 'backup');
  const recorded = { profile_id: made.profile_id, tracking_key: key, visits: people * 3, answers };
  writeFileSync(join(folder, 'reports.json'), `${JSON.stringify(recorded, null, 1)}\n`);
  writeFileSync(join(folder, 'migrations.json'), `${JSON.stringify(migrationFiles(directory), null, 1)}\n`);
  console.log(`{ name: '${name}', commit: '${commit}', from: '${from}', to: '${to}' }`);
} finally {
  for (const one of processes) await one.kill();
  await supervisor.destroy();
  rmSync(directory, { recursive: true, force: true });
}
