import { withLogin } from '@tributary/postgres';
import { type App, apps, type FaultsScene } from './faults-scene.ts';
import type { Receiver } from './faults-senders.ts';
import { type RunningApp, receiverOf, replaceApp, startApp } from './rolling-restart.ts';

const roles = {
  app: 'DATABASE_APP_URL',
  system: 'DATABASE_SYSTEM_URL',
  collector: 'DATABASE_COLLECTOR_URL',
} as const;
type Role = keyof typeof roles;
type Cli = (environment: Readonly<Record<string, string>>, ...args: string[]) => Promise<Record<string, unknown>>;

/** Rotates the passwords of PostgreSQL as an operator does: new password, restart each process, retire the old password. */
export class PasswordRotation {
  readonly #scene: FaultsScene;
  readonly #cli: Cli;
  #environment: Record<string, string>;
  readonly #running: Record<App, RunningApp>;
  readonly retired: string[] = [];
  rotated = 0;

  constructor(scene: FaultsScene, cli: Cli) {
    this.#scene = scene;
    this.#cli = cli;
    this.#environment = { ...scene.environment };
    this.#running = {
      api: { process: scene.api, url: scene.apiUrl },
      collector: { process: scene.collector, url: scene.collectorUrl },
      worker: { process: scene.worker, url: '' },
    };
  }

  get receiver(): Receiver {
    return receiverOf(this.#running, this.#scene.headers);
  }

  async rotate(): Promise<void> {
    for (const role of Object.keys(roles) as Role[]) {
      // The drill itself is connected as the app, so this login cannot be retired.
      if (role === 'app' && this.rotated > 0) continue;
      const { url } = await this.#database('rotate-password', role);
      this.#environment = { ...this.#environment, [roles[role]]: String(url) };
    }
    for (const app of apps) await replaceApp(this.#running, app, () => startApp(app, this.#environment), 500);
    for (const role of ['system', 'collector'] as const) {
      const { login } = await this.#database('retire-password', role);
      this.retired.push(String(login));
    }
    this.rotated += 1;
  }

  async close(): Promise<void> {
    for (const { process } of Object.values(this.#running)) await process.kill();
  }

  #database(command: string, role: Role) {
    const { ownerUrl } = this.#scene.engines.database;
    const DATABASE_ADMIN_URL = withLogin(ownerUrl, 'postgres', new URL(ownerUrl).password);
    return this.#cli({ ...this.#environment, DATABASE_ADMIN_URL }, 'database', command, role);
  }
}
