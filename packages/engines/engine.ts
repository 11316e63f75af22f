/** What the supervisor needs to know about an engine to find, start and break it. */
export interface Engine {
  readonly name: EngineName;
  /** The ports it listens on by role, with the preferred port. */
  readonly ports: Readonly<Record<string, number>>;
  /** The environment variables that name this engine. If the user has set the first, the engine is the user's own and is never started. */
  addresses(instance: Instance): Record<string, string>;
  /** The path of its program, or undefined if it must be installed. */
  program(shared: string): string | undefined;
  /** Downloads the program. */
  install(shared: string): Promise<void>;
  /** Prepares the data directory; can be called again. */
  prepare(instance: Instance, program: string): Promise<void>;
  command(instance: Instance, program: string): Command;
  /** Resolves to the version if the engine answers there, otherwise to undefined. */
  answers(addresses: Record<string, string>): Promise<string | undefined>;
  /** Creates what a private engine needs before its first use, such as roles; can be called again. */
  initialize?(instance: Instance): Promise<void>;
}

export type EngineName = 'postgres' | 'clickhouse' | 'nats' | 'redis';

/** The location of a private instance. */
export interface Instance {
  readonly directory: string;
  readonly ports: Readonly<Record<string, number>>;
  /**
   * The password of all engines of the set. Loopback alone is no protection: any page in a browser and any user of the machine can reach
   * it.
   */
  readonly password: string;
}

export interface Command {
  readonly program: string;
  readonly arguments: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Postgres refuses to run as root, so root starts it as another user. */
  readonly user?: { readonly uid: number; readonly gid: number };
  /** The signal for a graceful stop. */
  readonly stopSignal: NodeJS.Signals;
}
