import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const repositoryRoot = join(import.meta.dirname, '../..');

/** Runs one of Tributary's processes as an operator would, so that a drill can kill it with SIGKILL and restart it. */
export class AppProcess {
  /** Every line that the process wrote, across restarts. */
  readonly lines: string[] = [];
  kills = 0;
  readonly #app: string;
  readonly #readyLine: string;
  readonly #environment: NodeJS.ProcessEnv;
  readonly #root: string;
  #child: ChildProcess | undefined;

  /** `readyLine`: text that the process logs once it is ready. `root`: the checkout to run, for testing another version. */
  constructor(app: string, readyLine: string, environment: NodeJS.ProcessEnv, root = repositoryRoot) {
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
      ready.reject(new Error(`The ${this.#app} exited with ${code}: ${this.lines.slice(-5).join('\n')}`)),
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

  /** Sends SIGTERM, as an operator does, and waits until the process has exited. */
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
