import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

/** A process of ours that a drill kills -9 and starts again. It says "ready" (with anything it likes) when it serves. */
export class Killable<Ready = unknown> {
  readonly #script: string;
  readonly #arguments: readonly string[];
  readonly #hear: ((text: string) => void) | undefined;
  #child: ChildProcess | undefined;
  kills = 0;

  /** `hear` is told what it writes to standard output. */
  constructor(script: string, args: readonly string[], hear?: (text: string) => void) {
    this.#script = script;
    this.#arguments = args;
    this.#hear = hear;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  async start(): Promise<Ready> {
    const output = this.#hear ? 'pipe' : 'ignore';
    this.#child = fork(this.#script, [...this.#arguments], { stdio: ['ignore', output, 'inherit', 'ipc'] });
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => this.#hear?.(text));
    const [message] = await once(this.#child, 'message');
    return message as Ready;
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
    this.kills += 1;
  }
}
