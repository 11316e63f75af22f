import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

/** A process of ours that a drill kills -9 and starts again. It says "ready" (with anything it likes) when it serves. */
export class Killable<Ready = unknown> {
  readonly #script: string;
  readonly #arguments: readonly string[];
  #child: ChildProcess | undefined;
  kills = 0;

  constructor(script: string, args: readonly string[]) {
    this.#script = script;
    this.#arguments = args;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  async start(): Promise<Ready> {
    this.#child = fork(this.#script, [...this.#arguments], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
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
