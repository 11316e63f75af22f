import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EngineName } from '@tributary/engines';
import { buildApiKey, type FlakyLine, freePort, openFlakyLineTo } from '@tributary/testkit';
import { AppProcess } from './app-process.ts';
import { Disks } from './faults-disks.ts';
import { faultyDomain, type Machine } from './machine-seam.ts';
import { openVisitsScene, type VisitsScene } from './visits-scene.ts';

/** API, collector and worker that reach each engine through a host name and a proxy, both of which the drill can take away. */
export interface FaultsScene extends VisitsScene {
  readonly api: AppProcess;
  readonly apiUrl: string;
  readonly collectorUrl: string;
  /** Authenticates as an API key with write and read scopes. */
  readonly headers: Readonly<Record<string, string>>;
  /** Breaks the engine's connections and makes its host name unresolvable. */
  disconnect(engine: EngineName): void;
  /** Ends `disconnect`. */
  reconnect(engine: EngineName): void;
  /** Shifts the clocks of these processes, or of all. The other clocks are reset. */
  moveClock(milliseconds: number, apps?: readonly App[]): void;
  readonly disks: Disks;
}

const settingsOf: Readonly<Record<EngineName, readonly string[]>> = {
  postgres: ['DATABASE_APP_URL', 'DATABASE_SYSTEM_URL', 'DATABASE_COLLECTOR_URL'],
  clickhouse: ['CLICKHOUSE_URL'],
  nats: ['NATS_URL'],
  redis: ['REDIS_URL'],
};
const engines = Object.keys(settingsOf) as EngineName[];

export const apps = ['api', 'collector', 'worker'] as const;
export type App = (typeof apps)[number];

/** `hasDisks`: gives each engine a separate disk. */
export async function openFaultsScene(set: string, { hasDisks }: { hasDisks: boolean }): Promise<FaultsScene> {
  const disks = new Disks(set);
  if (Disks.canMount) disks.unmount();
  const directory = mkdtempSync(join(tmpdir(), 'faults-'));
  const file = join(directory, 'machine.json');
  const names = new Map(engines.map((engine) => [`${engine}${faultyDomain}`, '127.0.0.1']));
  let clockMs: Machine['clockMs'] = {};
  const writeMachineFile = () => {
    const machine: Machine = { clockMs, names: Object.fromEntries(names) };
    // Replaces the file atomically, so that readers never see a partial one.
    writeFileSync(`${file}.new`, JSON.stringify(machine));
    renameSync(`${file}.new`, file);
  };
  writeMachineFile();

  const lines = new Map<EngineName, FlakyLine>();
  const apiPort = await freePort();
  let api: AppProcess | undefined;
  const closeRest = async () => {
    await api?.kill();
    for (const line of lines.values()) await Promise.race([line.close(), sleep(5_000, undefined, { ref: false })]);
    rmSync(directory, { recursive: true, force: true });
    if (hasDisks) disks.unmount();
  };
  const lead = async (own: Readonly<Record<string, string>>) => {
    const settings: Record<string, string> = {};
    for (const engine of engines) {
      const [first = ''] = settingsOf[engine];
      const line = await openFlakyLineTo(own[first] ?? '');
      lines.set(engine, line);
      for (const name of settingsOf[engine]) {
        const url = new URL(own[name] ?? '');
        url.host = `${engine}${faultyDomain}:${new URL(line.url).port}`;
        settings[name] = url.href;
      }
    }
    return {
      ...settings,
      WEBHOOK_LOCAL_HOSTS: '127.0.0.1',
      MACHINE_FILE: file,
      NODE_OPTIONS: `--import ${join(import.meta.dirname, 'machine-seam.ts')}`,
      PORT: String(apiPort),
      BASE_URL: `http://127.0.0.1:${apiPort}`,
    };
  };
  const prepare = async () => void (hasDisks && (await disks.mount()));
  const scene = await openVisitsScene(set, lead, prepare).catch(async (error: unknown) => {
    await closeRest();
    throw error;
  });
  const close = async () => {
    for (const engine of engines) scene.engines.supervisor.resume(engine);
    await closeRest();
    await scene.close();
  };
  try {
    api = new AppProcess('api', 'api listens', scene.environment);
    await api.start();
    const scopes = ['attribution:write', 'campaigns:read', 'conversions:read'] as const;
    const { headers } = await buildApiKey(scene.postgres, scene.profileId, { scopes });
    return {
      ...scene,
      api,
      apiUrl: `http://127.0.0.1:${apiPort}`,
      collectorUrl: `http://127.0.0.1:${scene.environment.COLLECTOR_PORT}`,
      headers,
      disconnect(engine) {
        names.delete(`${engine}${faultyDomain}`);
        writeMachineFile();
        lines.get(engine)?.cut();
      },
      reconnect(engine) {
        names.set(`${engine}${faultyDomain}`, '127.0.0.1');
        writeMachineFile();
        lines.get(engine)?.mend();
      },
      moveClock(milliseconds, moved = apps) {
        clockMs = Object.fromEntries(moved.map((app) => [app, milliseconds]));
        writeMachineFile();
      },
      disks,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Waits until the condition holds. After the timeout, throws an error that names the condition. */
export async function until(
  what: string,
  timeoutMs: number,
  condition: () => Promise<boolean> | boolean,
  { attemptMs = 5_000 } = {},
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  let cause: unknown;
  const check = async () => {
    try {
      return await condition();
    } catch (error) {
      cause = error;
      return false;
    }
  };
  while (performance.now() < deadline) {
    const late = sleep(attemptMs, false, { ref: false });
    if (await Promise.race([check(), late])) return;
    await sleep(100);
  }
  throw new Error(`After ${Math.round(timeoutMs / 1_000)} s this does not hold yet: ${what}.`, { cause });
}
