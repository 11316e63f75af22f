import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Testkit } from '@tributary/testkit';

export interface SpawnedWorker {
  readonly process: ChildProcess;
  /** The lines logged so far. */
  readonly lines: string[];
  kill(): Promise<void>;
}

/** Starts the real worker on the stores of a test. Resolves when it runs. */
export async function spawnWorker(kit: Testkit, changes: NodeJS.ProcessEnv = {}): Promise<SpawnedWorker> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts')], {
    env: {
      ...process.env,
      DATABASE_APP_URL: kit.database.appUrl,
      DATABASE_OWNER_URL: kit.database.ownerUrl,
      DATABASE_SYSTEM_URL: kit.database.systemUrl,
      CLICKHOUSE_URL: kit.clickhouseUrl,
      CLICKHOUSE_DATABASE: kit.clickhouseDatabase,
      BASE_URL: 'http://127.0.0.1',
      ENCRYPTION_KEYS: `test:${Buffer.alloc(32, 1).toString('base64')}`,
      ...changes,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  const runs = Promise.withResolvers<void>();
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    lines.push(...text.split('\n').filter((line) => line !== ''));
    if (text.includes('worker runs')) runs.resolve();
  });
  child.once('exit', () => runs.reject(new Error(`The worker ended:\n${lines.join('\n')}`)));
  await runs.promise;
  return {
    process: child,
    lines,
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}
