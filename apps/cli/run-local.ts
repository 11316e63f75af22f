import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
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

/** Prepares everything that our processes need on this machine: engines, schemas, the built files of console and documentation. */
export async function prepareLocal(supervisor: Supervisor, options: { readonly install?: boolean }): Promise<Local> {
  if (options.install) await supervisor.install(undefined, (line) => console.log(line));
  await refusePortsInUse(loadSettings({ ...localSecrets(), ...process.env }));
  console.log('engines ...');
  const addresses = await supervisor.start();
  // Browsers send secure cookies over HTTPS only, and local URLs are plain HTTP unless configured otherwise.
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

/**
 * Runs api, collector, provider-webhooks and worker until one of them exits or the command is stopped. Prints the text once all of them respond and `whenUp`
 * is done. Rejects if one exits before that, or exits with an error later: the command must not report success then.
 */
export async function runLocal(
  { environment, settings }: Local,
  text: string,
  whenUp: () => Promise<void> = async () => {},
): Promise<void> {
  const children = (['api', 'collector', 'provider-webhooks', 'worker'] as const).map((app) => ({
    app,
    child: start(app, environment),
  }));
  const exits = children.map(({ app, child }) => exitOf(app, child));
  const stopping = stopTogether(children.map(({ child }) => child));
  const starting = new AbortController();
  const urls = [settings.baseUrl, settings.collectorUrl, `http://${settings.host}:${settings.providerWebhooksPort}`];
  try {
    await Promise.race([
      Promise.all(urls.map((url) => answering(url, starting.signal))),
      Promise.race(exits).then(({ app, code }) => {
        if (!stopping.isRequested)
          throw new Error(`${app} exited with code ${code} before it was ready. Its log is above.`);
      }),
    ]);
    if (!stopping.isRequested) await whenUp();
    if (!stopping.isRequested) console.log(text);
  } catch (error) {
    stopping.stop();
    await Promise.all(exits);
    throw error;
  } finally {
    starting.abort();
  }
  const failed = (await Promise.all(exits)).find(({ code }) => code !== 0);
  if (failed && !stopping.isRequested) throw new Error(`${failed.app} exited with code ${failed.code}.`);
}

/** Fails before starting anything if another process holds a port: its responses would look like ours. */
async function refusePortsInUse({ host, port, collectorPort, providerWebhooksPort }: Settings): Promise<void> {
  for (const [number, names] of [
    [port, 'PORT and BASE_URL'],
    [collectorPort, 'COLLECTOR_PORT and COLLECTOR_URL'],
    [providerWebhooksPort, 'PROVIDER_WEBHOOKS_PORT'],
  ] as const)
    if (!(await isFree(host, number)))
      throw new Error(`Port ${number} is in use by another process. Stop it, or choose another port with ${names}.`);
}

async function isFree(host: string, port: number): Promise<boolean> {
  const server = createServer();
  try {
    await once(server.listen(port, host), 'listening');
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    return false;
  } finally {
    server.close();
  }
}

async function exitOf(app: string, child: ChildProcess): Promise<{ readonly app: string; readonly code: number }> {
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  return { app, code: code ?? (signal === 'SIGTERM' ? 0 : 1) };
}

/** Without the cache every start would strip the types again. */
const compileCache = join(import.meta.dirname, '../../node_modules/.cache/tributary');

function start(app: string, environment: NodeJS.ProcessEnv): ChildProcess {
  const child = spawn(process.execPath, [join(import.meta.dirname, '..', app, 'main.ts')], {
    // No load balancer needs a delay before shutdown.
    env: { LOG_LEVEL: 'warn', SHUTDOWN_DELAY_MS: '0', NODE_COMPILE_CACHE: compileCache, ...environment },
    stdio: 'inherit',
  });
  return child;
}

/** One signal or one exit stops all of them. */
function stopTogether(children: readonly ChildProcess[]): { stop(): void; readonly isRequested: boolean } {
  let isRequested = false;
  const stop = () => {
    for (const child of children) child.kill('SIGTERM');
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      isRequested = true;
      stop();
    });
  }
  for (const child of children) child.once('exit', stop);
  return {
    stop,
    get isRequested() {
      return isRequested;
    },
  };
}

/** Waits as long as the processes live: on a busy machine they need minutes. */
async function answering(baseUrl: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const answer = await fetch(`${baseUrl}/readyz`, { signal }).catch(() => undefined);
    if (answer?.ok) return;
    await sleep(100);
  }
}
