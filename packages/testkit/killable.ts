import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';

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

/** A port that nobody listens on now; a process that is killed and started again must come back to the same one. */
export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
