import type { Connection } from './connection.ts';

/** Open connections that nobody uses, until somebody has asked DNS anew and wants one of them. */
export class KeptConnections {
  readonly #kept = new Map<string, { connection: Connection; timer: NodeJS.Timeout }[]>();
  readonly #idleMs: number;
  readonly #most: number;
  #count = 0;

  constructor({ idleMs, most }: { readonly idleMs: number; readonly most: number }) {
    this.#idleMs = idleMs;
    this.#most = most;
  }

  /** One to an address that was vetted just now. Those to others are closed: the name does not lead there any more. */
  take(origin: string, vetted: readonly string[]): Connection | undefined {
    for (;;) {
      const kept = this.#kept.get(origin)?.pop();
      if (!kept) return undefined;
      clearTimeout(kept.timer);
      this.#count -= 1;
      if (kept.connection.isOpen && vetted.includes(kept.connection.address)) return kept.connection;
      kept.connection.close();
    }
  }

  keep(connection: Connection): void {
    if (!connection.isOpen || this.#count >= this.#most) {
      connection.close();
      return;
    }
    const { origin } = connection;
    const others = this.#kept.get(origin) ?? [];
    const timer = setTimeout(() => {
      const at = others.findIndex((one) => one.connection === connection);
      if (at < 0) return;
      others.splice(at, 1);
      this.#count -= 1;
      if (others.length === 0) this.#kept.delete(origin);
      connection.close();
    }, this.#idleMs);
    timer.unref();
    others.push({ connection, timer });
    this.#kept.set(origin, others);
    this.#count += 1;
  }

  close(): void {
    for (const kept of this.#kept.values())
      for (const { connection, timer } of kept) {
        clearTimeout(timer);
        connection.close();
      }
    this.#kept.clear();
    this.#count = 0;
  }
}
