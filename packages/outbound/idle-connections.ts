import type { Connection } from './connection.ts';

/** Open idle connections, which are reused only after DNS was queried again. */
export class IdleConnections {
  readonly #idle = new Map<string, { connection: Connection; timer: NodeJS.Timeout }[]>();
  readonly #idleMs: number;
  readonly #most: number;
  #count = 0;

  constructor({ idleMs, most }: { readonly idleMs: number; readonly most: number }) {
    this.#idleMs = idleMs;
    this.#most = most;
  }

  /**
   * Takes a connection to one of the addresses just vetted. Connections to other addresses are closed because the name no longer leads
   * there.
   */
  take(origin: string, vetted: readonly string[]): Connection | undefined {
    for (;;) {
      const idle = this.#idle.get(origin)?.pop();
      if (!idle) return undefined;
      clearTimeout(idle.timer);
      this.#count -= 1;
      if (idle.connection.isOpen && vetted.includes(idle.connection.address)) return idle.connection;
      idle.connection.close();
    }
  }

  keep(connection: Connection): void {
    if (!connection.isOpen || this.#count >= this.#most) {
      connection.close();
      return;
    }
    const { origin } = connection;
    const others = this.#idle.get(origin) ?? [];
    const timer = setTimeout(() => {
      const at = others.findIndex((one) => one.connection === connection);
      if (at < 0) return;
      others.splice(at, 1);
      this.#count -= 1;
      if (others.length === 0) this.#idle.delete(origin);
      connection.close();
    }, this.#idleMs);
    timer.unref();
    others.push({ connection, timer });
    this.#idle.set(origin, others);
    this.#count += 1;
  }

  close(): void {
    for (const idle of this.#idle.values())
      for (const { connection, timer } of idle) {
        clearTimeout(timer);
        connection.close();
      }
    this.#idle.clear();
    this.#count = 0;
  }
}
