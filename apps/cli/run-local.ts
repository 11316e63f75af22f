import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadSettings, type Settings } from '@tributary/config';
import { buildConsole } from '@tributary/console/build.ts';
import type { Supervisor } from '@tributary/engines';
import { buildDocs } from '../docs/build.ts';
import { migrateAll } from './commands/migrate.ts';
import { localSecrets } from './local.ts';

export interface Local {
  readonly environment: NodeJS.ProcessEnv;
  readonly settings: Settings;
}

/** Brings up all that our own processes need on this machine: engines, schemas, the files of console and documentation. */
export async function prepareLocal(supervisor: Supervisor, options: { readonly install?: boolean }): Promise<Local> {
  if (options.install) await supervisor.install(undefined, (line) => console.log(line));
  console.log('engines ...');
  const addresses = await supervisor.start();
  // A browser keeps a cookie for HTTPS only, and here there is none unless somebody set it up.
  const isPlain = (process.env.BASE_URL ?? 'http:').startsWith('http:');
  const environment = {
    ...(isPlain && { SECURE_COOKIES: 'false' }),
    ...process.env,
    ...addresses,
    ...localSecrets(),
  };
  const settings = loadSettings(environment);
  console.log('migrations ...');
  await migrateAll(settings);
  console.log('console and documentation ...');
  await Promise.all([buildConsole(), buildDocs()]);
  return { environment, settings };
}

/** Runs api, collector and worker until one of them ends or somebody stops them. Says the words when they answer and all else is done. */
export async function runLocal(
  { environment, settings }: Local,
  words: string,
  whenUp: () => Promise<void> = async () => {},
): Promise<void> {
  const children = ['api', 'collector', 'worker'].map((app) => start(app, environment));
  const ended = children.map((child) => once(child, 'exit'));
  stopTogether(children);
  await Promise.all([answering(settings.baseUrl), answering(settings.collectorUrl)]);
  await whenUp();
  console.log(words);
  await Promise.all(ended);
}

/** Without it every start would take the types off all over again. */
const compileCache = join(import.meta.dirname, '../../node_modules/.cache/tributary');

function start(app: string, environment: NodeJS.ProcessEnv): ChildProcess {
  const child = spawn(process.execPath, [join(import.meta.dirname, '..', app, 'main.ts')], {
    // Nobody balances these.
    env: { LOG_LEVEL: 'warn', SHUTDOWN_DELAY_MS: '0', NODE_COMPILE_CACHE: compileCache, ...environment },
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
