import { setTimeout as sleep } from 'node:timers/promises';
import { withLogin } from '@tributary/postgres';
import { freePort } from '@tributary/testkit';
import { AppProcess } from './app-process.ts';
import type { FaultsScene } from './faults-scene.ts';
import type { Receiver } from './faults-senders.ts';

const roles = {
  app: 'DATABASE_APP_URL',
  system: 'DATABASE_SYSTEM_URL',
  collector: 'DATABASE_COLLECTOR_URL',
} as const;
type Role = keyof typeof roles;
const readyLines = { api: 'api listens', collector: 'collector listens', worker: 'worker runs' } as const;
type App = keyof typeof readyLines;

type Cli = (environment: Readonly<Record<string, string>>, ...words: string[]) => Promise<Record<string, unknown>>;

/** Rotates the passwords of PostgreSQL as an operator does: new password, restart each process, retire the old password. */
export class PasswordRotation {
  readonly #scene: FaultsScene;
  readonly #cli: Cli;
  #environment: Record<string, string>;
  readonly #current: Record<App, { readonly process: AppProcess; readonly url: string }>;
  readonly retired: string[] = [];
  rotated = 0;

  constructor(scene: FaultsScene, cli: Cli) {
    this.#scene = scene;
    this.#cli = cli;
    this.#environment = { ...scene.environment };
    this.#current = {
      api: { process: scene.api, url: scene.apiUrl },
      collector: { process: scene.collector, url: scene.collectorUrl },
      worker: { process: scene.worker, url: '' },
    };
  }

  /** Sends to the processes that serve now, as a load balancer does. */
  get receiver(): Receiver {
    const current = this.#current;
    return {
      get apiUrl() {
        return current.api.url;
      },
      headers: this.#scene.headers,
      post: (body) => postVisits(current.collector.url, body),
    };
  }

  async rotate(): Promise<void> {
    for (const role of Object.keys(roles) as Role[]) {
      // The drill itself is connected as the app, so this login cannot be retired.
      if (role === 'app' && this.rotated > 0) continue;
      const { url } = await this.#database('rotate-password', role);
      this.#environment = { ...this.#environment, [roles[role]]: String(url) };
    }
    for (const app of Object.keys(readyLines) as App[]) await this.#replace(app);
    for (const role of ['system', 'collector'] as const) {
      const { login } = await this.#database('retire-password', role);
      this.retired.push(String(login));
    }
    this.rotated += 1;
  }

  async close(): Promise<void> {
    for (const { process } of Object.values(this.#current)) await process.kill();
  }

  async #replace(app: App): Promise<void> {
    const port = String(await freePort());
    const next = new AppProcess(app, readyLines[app], { ...this.#environment, PORT: port, COLLECTOR_PORT: port });
    await next.start();
    const { process } = this.#current[app];
    this.#current[app] = { process: next, url: `http://127.0.0.1:${port}` };
    await sleep(500);
    await process.stop();
  }

  #database(command: string, role: Role) {
    const { ownerUrl } = this.#scene.engines.database;
    const DATABASE_ADMIN_URL = withLogin(ownerUrl, 'postgres', new URL(ownerUrl).password);
    return this.#cli({ ...this.#environment, DATABASE_ADMIN_URL }, 'database', command, role);
  }
}

async function postVisits(url: string, body: string): Promise<number | undefined> {
  const headers = {
    'content-type': 'text/plain',
    'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0',
    origin: 'https://shop.example',
  };
  try {
    const answer = await fetch(`${url}/v1/visits`, { method: 'POST', headers, body });
    await answer.arrayBuffer();
    return answer.status;
  } catch {
    return undefined;
  }
}
