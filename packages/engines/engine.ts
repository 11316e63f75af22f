/** What the supervisor must know of an engine to look for it, start it and break it. */
export interface Engine {
  readonly name: EngineName;
  /** The ports it listens on, by role, with the one it would like. */
  readonly ports: Readonly<Record<string, number>>;
  /** Settings of ours that name this engine; when the first is set by the user, the engine is theirs and is only looked for. */
  addresses(place: Place): Record<string, string>;
  /** Says where its program is, or undefined when it has to be installed. */
  program(shared: string): string | undefined;
  /** Fetches the program. */
  install(shared: string): Promise<void>;
  /** Makes the data directory ready; safe to call again. */
  prepare(place: Place, program: string): Promise<void>;
  command(place: Place, program: string): Command;
  /** Resolves to the version when the engine answers there, else to undefined. */
  answers(addresses: Record<string, string>): Promise<string | undefined>;
  /** What has to exist inside a private engine before anyone uses it (roles, for example); safe to call again. */
  furnish?(place: Place): Promise<void>;
}

export type EngineName = 'postgres' | 'clickhouse' | 'nats' | 'redis';

/** Where one private instance lives. */
export interface Place {
  readonly directory: string;
  readonly ports: Readonly<Record<string, number>>;
  /** Of every engine of the set. Loopback alone is no wall: any page in a browser and any user of the machine reaches it. */
  readonly password: string;
}

export interface Command {
  readonly program: string;
  readonly arguments: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Postgres refuses to run as root, so a root user starts it as another. */
  readonly user?: { readonly uid: number; readonly gid: number };
  /** The signal that asks it to leave in good order. */
  readonly stopSignal: NodeJS.Signals;
}
