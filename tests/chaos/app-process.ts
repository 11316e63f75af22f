import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const ours = join(import.meta.dirname, '../..');

/** One of our own processes as an operator starts it, to be killed -9 and started again. */
export class AppProcess {
  /** Every line it ever wrote, over all its lives. */
  readonly lines: string[] = [];
  kills = 0;
  readonly #app: string;
  readonly #readyLine: string;
  readonly #environment: NodeJS.ProcessEnv;
  readonly #root: string;
  #child: ChildProcess | undefined;

  /** `readyLine`: what it logs when it serves. `root`: where another version of it is. */
  constructor(app: string, readyLine: string, environment: NodeJS.ProcessEnv, root = ours) {
    this.#app = app;
    this.#readyLine = readyLine;
    this.#environment = environment;
    this.#root = root;
  }

  async start(): Promise<void> {
    const child = spawn(process.execPath, [join(this.#root, 'apps', this.#app, 'main.ts')], {
      env: { ...process.env, ...this.#environment, LOG_LEVEL: 'info' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    const ready = Promise.withResolvers<void>();
    child.once('exit', (code) =>
      ready.reject(new Error(`The ${this.#app} ended with ${code}: ${this.lines.slice(-5).join('\n')}`)),
    );
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on('line', (line) => {
        this.lines.push(line);
        if (line.includes(this.#readyLine)) ready.resolve();
      });
    }
    await ready.promise;
  }

  get pid(): number {
    if (this.#child?.pid === undefined) throw new Error(`The ${this.#app} was not started.`);
    return this.#child.pid;
  }

  /** As an operator asks it to leave. */
  async stop(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
    this.kills += 1;
  }
}
