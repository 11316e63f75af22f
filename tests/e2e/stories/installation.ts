import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { loadSettings } from '@tributary/config';
import { buildConsole } from '@tributary/console/build.ts';
import { addMember, createPasswords, createUser, openFirstAccount } from '@tributary/domain/tenancy/accounts/module.ts';
import {
  buildProfile,
  freePort,
  noteLeftover,
  openTestkit,
  openWarehouse,
  operatorOf,
  type ProfileTraits,
  startSandbox,
  type Testkit,
} from '@tributary/testkit';
import { startMailServer } from '@tributary/testkit/mail-server';
import { destroyStreams } from '@tributary/testkit/stream';
import type { Role } from '@tributary/vocabulary';
import type { Browser } from 'playwright-core';
import { migrateAll } from '../../../apps/cli/commands/migrate.ts';
import { openBrowser } from '../browser.ts';
import { openPerson, type Person, signIn } from './person.ts';

/** Tributary as an operator runs it: api, collector and worker as separate processes, the sandbox's providers and a mail server. */
export interface Installation {
  readonly kit: Testkit;
  readonly baseUrl: string;
  readonly collectorUrl: string;
  readonly sandbox: Awaited<ReturnType<typeof startSandbox>>;
  readonly mails: Awaited<ReturnType<typeof startMailServer>>;
  /** Reads the link from the log of the migration, as the operator does. */
  firstAccountUrl(): Promise<string>;
  /** A workspace with one profile and a signed-in owner, created by the operator's command. */
  openWorkspace(traits?: ProfileTraits): Promise<Workspace>;
  /** Runs `tributary` on the server with these arguments. Resolves to its output; rejects if it fails. */
  command(...args: readonly string[]): Promise<string>;
  /** A user in a new browser context, not signed in. */
  visitor(options?: PersonOptions): Promise<Person>;
  /** The current time of the installation's clock. */
  now(): Date;
  /**
   * Advances the clock of all processes and browsers, where nothing else makes time pass. Not for a shared installation, whose other stories do not
   * expect it.
   */
  advance(milliseconds: number): Promise<void>;
  close(): Promise<void>;
}

export interface Member extends Person {
  readonly email: string;
  readonly password: string;
}

export interface Workspace {
  readonly workspaceId: string;
  readonly profileId: string;
  /** The URL of a page of the profile in the console. */
  url(page: string): string;
  readonly owner: Member;
  /** Another member, signed in. */
  member(role: Role, options?: PersonOptions): Promise<Member>;
}

type PersonOptions = Parameters<Browser['newContext']>[0];

const run = promisify(execFile);

const preloaded = [
  '--import',
  import.meta.resolve('@tributary/testkit/end-with-parent'),
  '--import',
  import.meta.resolve('./advance-clock.ts'),
];

const password = 'vague otter lamp';

/** The browser reports itself as headless and would count as a bot. A page's last beacon uses the user agent that the browser was started with. */
const userAgent =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';

/** The days of history at the simulated providers. */
const market = { people: 300, days: 45 };

export async function openInstallation(changes: NodeJS.ProcessEnv = {}): Promise<Installation> {
  const kit = await openTestkit();
  const forgetLeftover = noteLeftover(kit);
  kit.clock.set(new Date());
  const [warehouse, browser, sandbox, mails, port, collectorPort] = await Promise.all([
    openWarehouse(kit),
    openBrowser(`--user-agent=${userAgent}`),
    startSandbox({ seed: 7, market }),
    startMailServer(),
    freePort(),
    freePort(),
    buildConsole(),
  ]);
  const baseUrl = `http://localhost:${port}`;
  const collectorUrl = `http://localhost:${collectorPort}`;
  const environment = {
    ...process.env,
    DATABASE_APP_URL: kit.database.appUrl,
    DATABASE_OWNER_URL: kit.database.ownerUrl,
    DATABASE_SYSTEM_URL: kit.database.systemUrl,
    DATABASE_COLLECTOR_URL: kit.database.collectorUrl,
    CLICKHOUSE_DATABASE: kit.clickhouseDatabase,
    STREAM_PREFIX: kit.streamPrefix,
    REDIS_PREFIX: kit.redisPrefix,
    ENCRYPTION_KEYS: `test:${Buffer.alloc(32, 1).toString('base64')}`,
    BASE_URL: baseUrl,
    COLLECTOR_URL: collectorUrl,
    HOST: 'localhost',
    PORT: String(port),
    COLLECTOR_PORT: String(collectorPort),
    SECURE_COOKIES: 'false',
    SMTP_URL: mails.url,
    LOG_LEVEL: 'warn',
    SHUTDOWN_DELAY_MS: '0',
    PROVIDER_LOCAL_HOSTS: '127.0.0.1',
    WEBHOOK_LOCAL_HOSTS: '127.0.0.1',
    NODE_COMPILE_CACHE: join(import.meta.dirname, '../../../.engines/compile-cache'),
    ...sandbox.settings,
    ...changes,
  };
  await migrateAll(loadSettings(environment));
  const log = openLog(kit);
  const processes = (['api', 'collector', 'worker'] as const).map((app) => start(app, environment, log));
  const close = async () => {
    await browser.close();
    await Promise.all(processes.map(stop));
    await sandbox.close();
    await mails.stop();
    await destroyStreams(kit.streamPrefix);
    await warehouse.drop();
    await kit.close();
    forgetLeftover();
  };
  try {
    await Promise.all([untilReady(baseUrl, processes), untilReady(collectorUrl, processes)]);
  } catch (error) {
    await close();
    throw error;
  }
  const tools = { operator: operatorOf(kit), passwords: createPasswords(10) };
  let accounts = 0;
  let aheadMs = 0;
  const now = () => new Date(Date.now() + aheadMs);
  const visitor = async (options?: PersonOptions) => {
    const person = await openPerson(browser, baseUrl, options);
    if (aheadMs > 0) await person.page.clock.setSystemTime(now());
    return person;
  };
  const addPerson = async (
    workspaceId: string,
    role: Role,
    landing: string,
    options?: PersonOptions,
  ): Promise<Member> => {
    accounts += 1;
    const email = `${role}-${accounts}@example.com`;
    await createUser(tools, { email, name: `${role} ${accounts}`, password });
    await addMember(tools, { workspaceId, email, role });
    const person = await visitor(options);
    await person.page.goto(landing);
    await signIn(person.page, email, password);
    return { ...person, email, password };
  };
  return {
    kit,
    baseUrl,
    collectorUrl,
    sandbox,
    mails,
    visitor,
    now,
    async advance(milliseconds) {
      aheadMs += milliseconds;
      for (const child of processes) child.send(aheadMs);
      for (const context of browser.contexts()) await context.clock.setSystemTime(now());
    },
    async command(...args) {
      const main = join(import.meta.dirname, '../../../apps/cli/main.ts');
      return (await run(process.execPath, [main, ...args], { env: environment })).stdout;
    },
    async firstAccountUrl() {
      const offered = await openFirstAccount(kit.owner.unbound, baseUrl, new Date());
      if (!offered) throw new Error('An account exists already.');
      return offered.url;
    },
    async openWorkspace(traits) {
      const profile = await buildProfile(kit.app, traits);
      const url = (page: string) => `${baseUrl}/p/${profile.id}/${page}`;
      const member = (role: Role, options?: PersonOptions) =>
        addPerson(profile.workspaceId, role, url('overview'), options);
      return { workspaceId: profile.workspaceId, profileId: profile.id, url, member, owner: await member('owner') };
    },
    close,
  };
}

/**
 * The test runner ends its processes with a signal, which leaves no time to clean up, and waits until no process holds their output. So a child exits
 * when its channel to the parent closes, and writes into a file.
 */
function start(app: 'api' | 'collector' | 'worker', env: NodeJS.ProcessEnv, log: number): ChildProcess {
  const main = join(import.meta.dirname, '../../../apps', app, 'main.ts');
  return spawn(process.execPath, [...preloaded, main], { env, stdio: ['ignore', 'ignore', log, 'ipc'] });
}

/** The log file for warnings and errors of the processes. */
function openLog(kit: Testkit): number {
  const folder = join(import.meta.dirname, '../../../.engines/stories');
  mkdirSync(folder, { recursive: true });
  return openSync(join(folder, `${kit.clickhouseDatabase}.log`), 'a');
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

async function untilReady(url: string, processes: readonly ChildProcess[]): Promise<void> {
  for (;;) {
    const ended = processes.find(({ exitCode }) => exitCode !== null);
    if (ended) throw new Error(`A process ended with code ${ended.exitCode} before it was ready.`);
    const response = await fetch(`${url}/readyz`).catch(() => undefined);
    if (response?.ok) return;
    await sleep(100);
  }
}
