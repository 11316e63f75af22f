import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

/** A child process that a drill kills with SIGKILL and restarts. It sends "ready", with any further fields, once it serves. */
export class Killable<Ready = unknown> {
  readonly #script: string;
  readonly #arguments: readonly string[];
  readonly #onOutput: ((text: string) => void) | undefined;
  #child: ChildProcess | undefined;
  kills = 0;

  /** `onOutput` receives what the process writes to standard output. */
  constructor(script: string, args: readonly string[], onOutput?: (text: string) => void) {
    this.#script = script;
    this.#arguments = args;
    this.#onOutput = onOutput;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  async start(): Promise<Ready> {
    const output = this.#onOutput ? 'pipe' : 'ignore';
    this.#child = fork(this.#script, [...this.#arguments], { stdio: ['ignore', output, 'inherit', 'ipc'] });
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => this.#onOutput?.(text));
    const [message] = await once(this.#child, 'message');
    return message as Ready;
  }

  /** Sends a message and resolves to the reply; undefined if the process exited first. */
  async ask<Reply>(message: object): Promise<Reply | undefined> {
    const child = this.#child;
    if (!child?.connected) return undefined;
    const stop = new AbortController();
    const until = { signal: stop.signal };
    const answered = once(child, 'message', until).then(([reply]) => reply as Reply);
    const ended = once(child, 'exit', until).then(() => undefined);
    try {
      child.send(message);
      return await Promise.race([answered, ended]);
    } finally {
      stop.abort();
      await Promise.allSettled([answered, ended]);
    }
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
    this.kills += 1;
  }
}
