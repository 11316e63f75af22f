import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadSettings } from '@tributary/config';
import { Supervisor } from '@tributary/engines';
import { Command } from 'commander';
import { localSecrets } from '../local.ts';
import { migrateAll } from './migrate.ts';

const root = join(import.meta.dirname, '../../..');

export const upCommand = () =>
  new Command('up')
    .aliases(['dev', 'demo'])
    .description(
      'Start everything on this machine: engines where none are configured, migrations, api, collector, worker',
    )
    .option('--install', 'fetch engines that are missing first')
    .action(async ({ install }: { install?: boolean }) => {
      const supervisor = new Supervisor();
      if (install) await supervisor.install(undefined, (line) => console.log(line));
      console.log('engines ...');
      const environment = { ...process.env, ...(await supervisor.start()), ...localSecrets() };
      const settings = loadSettings(environment);
      console.log('migrations ...');
      await migrateAll(settings);
      const children = ['api', 'collector', 'worker'].map((app) => start(app, environment));
      stopTogether(children);
      await Promise.all([answering(settings.baseUrl), answering(settings.collectorUrl)]);
      console.log(`
Tributary runs.
  ${settings.baseUrl}            start here
  ${settings.baseUrl}/docs       the API reference
  ${settings.baseUrl}/readyz     what answers and what does not
  ${settings.collectorUrl}            where browsers send visits

Ctrl-C stops it. The engines stay; "npm run engines -- stop" ends them.`);
    });

function start(app: string, environment: NodeJS.ProcessEnv): ChildProcess {
  const child = spawn(process.execPath, [join(root, 'apps', app, 'main.ts')], {
    env: { LOG_LEVEL: 'warn', ...environment },
    stdio: 'inherit',
  });
  child.once('exit', (code) => {
    if (code) console.error(`${app} ended with code ${code}.`);
  });
  return child;
}

function stopTogether(children: readonly ChildProcess[]): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      for (const child of children) child.kill('SIGTERM');
    });
  }
  for (const child of children) {
    child.once('exit', () => {
      for (const other of children) other.kill('SIGTERM');
    });
  }
}

async function answering(baseUrl: string): Promise<void> {
  for (let attempt = 0; attempt < 300; attempt += 1) {
    const answer = await fetch(`${baseUrl}/readyz`).catch(() => undefined);
    if (answer?.ok) return;
    await sleep(100);
  }
  throw new Error(
    `Nothing answers at ${baseUrl}. Is the port taken? PORT and BASE_URL (for the collector COLLECTOR_PORT and COLLECTOR_URL) choose another.`,
  );
}
