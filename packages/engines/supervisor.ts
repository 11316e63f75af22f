import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { clickhouse, joinShards } from './clickhouse.ts';
import type { Engine, EngineName, Place } from './engine.ts';
import { freePort } from './free-port.ts';
import { joinServers, nats } from './nats.ts';
import { copyServer, postgres } from './postgres.ts';
import * as processes from './processes.ts';
import { redis } from './redis.ts';

const catalogue: Readonly<Record<EngineName, Engine>> = { postgres, clickhouse, nats, redis };
export const engineNames = Object.keys(catalogue) as EngineName[];

export interface EngineStatus {
  readonly name: EngineName;
  readonly state: 'yours' | 'running' | 'stopped' | 'silent' | 'not installed';
  readonly version?: string;
  readonly addresses: Record<string, string>;
}

/**
 * A set of private engines under `.engines/SET/`. The set "main" serves development and tests; a drill that breaks engines
 * opens a set of its own, so that nobody else's work falls over.
 */
export class Supervisor {
  readonly #root: string;
  readonly #set: string;
  /** Engines that have answered: somebody may know their addresses. */
  readonly #known = new Set<EngineName>();

  constructor(set = 'main', root = join(import.meta.dirname, '../../.engines')) {
    this.#root = root;
    this.#set = set;
  }

  /** Uses what answers at the user's own addresses, else starts private ones. Resolves to the settings that name them. */
  async start(names: readonly EngineName[] = engineNames): Promise<Record<string, string>> {
    const addresses = await Promise.all(names.map((name) => this.#startOne(catalogue[name])));
    return Object.assign({}, ...addresses);
  }

  async install(names: readonly EngineName[] = engineNames, say: (line: string) => void = () => {}): Promise<void> {
    for (const name of names) {
      if (this.#given(catalogue[name]) || catalogue[name].program(this.#shared)) continue;
      say(`installing ${name} ...`);
      mkdirSync(this.#shared, { recursive: true });
      await catalogue[name].install(this.#shared);
    }
  }

  stop = (name: EngineName) => processes.stop(this.#directory(name));
  kill = (name: EngineName) => processes.kill(this.#directory(name));
  pause = (name: EngineName) => processes.pause(this.#directory(name));
  resume = (name: EngineName) => processes.resume(this.#directory(name));

  /** kill -9, and its data is gone: the machine that it was on is lost. Started again, it is empty. */
  async lose(name: EngineName): Promise<void> {
    await this.kill(name);
    rmSync(join(this.#directory(name), 'data'), { recursive: true, force: true });
  }

  /** Makes the NATS of this set and of others one cluster, before any of them is started. */
  async joinNats(others: readonly Supervisor[]): Promise<void> {
    for (const other of others) other.#writePassword(this.#password());
    const places: Place[] = [];
    for (const one of [this, ...others]) places.push(await one.place('nats'));
    await joinServers(places);
  }

  /** Makes the ClickHouse of this set and of others the shards of one cluster, before any of them is started. */
  async joinClickHouse(others: readonly Supervisor[]): Promise<void> {
    for (const other of others) other.#writePassword(this.#password());
    joinShards(await Promise.all([this, ...others].map((one) => one.place('clickhouse'))));
  }

  /** Gives the PostgreSQL of others the passwords of this one, before any of them is started: the servers of one ledger. */
  joinPostgres(others: readonly Supervisor[]): void {
    for (const other of others) other.#writePassword(this.#password());
  }

  /** Starts the PostgreSQL of this set as a standby of another's: a copy that follows. */
  async followPostgres(primary: Supervisor): Promise<void> {
    this.#writePassword(primary.#password());
    const program = postgres.program(this.#shared);
    if (!program) throw new Error('postgres is not installed. Run "npm run engines -- --install".');
    copyServer(await primary.place('postgres'), await this.place('postgres'), program);
    await this.start(['postgres']);
  }

  async restart(name: EngineName): Promise<void> {
    await this.stop(name);
    await this.start([name]);
  }

  async stopAll(): Promise<void> {
    await Promise.all(engineNames.map((name) => this.stop(name)));
  }

  /** Stops the set and deletes its data. */
  async destroy(): Promise<void> {
    await Promise.all(engineNames.map((name) => this.kill(name)));
    rmSync(join(this.#root, this.#set), { recursive: true, force: true });
  }

  async status(name: EngineName): Promise<EngineStatus> {
    const engine = catalogue[name];
    const given = this.#given(engine);
    const addresses = given ?? engine.addresses(await this.place(name));
    const version = await engine.answers(addresses);
    if (given) return { name, state: version ? 'yours' : 'silent', addresses, ...(version && { version }) };
    if (version) return { name, state: 'running', version, addresses };
    if (processes.running(this.#directory(name))) return { name, state: 'silent', addresses };
    return { name, state: engine.program(this.#shared) ? 'stopped' : 'not installed', addresses };
  }

  /** The settings that name this set's private engines, as far as they were ever started. */
  async knownAddresses(): Promise<Record<string, string>> {
    const started = engineNames.filter((name) => existsSync(join(this.#directory(name), 'ports.json')));
    return Object.assign(
      {},
      ...(await Promise.all(started.map(async (name) => catalogue[name].addresses(await this.place(name))))),
    );
  }

  /** Where the private instance lives; its ports are chosen once and kept. */
  async place(name: EngineName): Promise<Place> {
    const directory = this.#directory(name);
    const file = join(directory, 'ports.json');
    mkdirSync(directory, { recursive: true });
    const password = this.#password();
    if (existsSync(file)) return { directory, password, ports: JSON.parse(readFileSync(file, 'utf8')) };
    const ports: Record<string, number> = {};
    for (const [role, wish] of Object.entries(catalogue[name].ports)) {
      ports[role] = await freePort(this.#set === 'main' ? wish : 0);
    }
    writeFileSync(file, JSON.stringify(ports));
    return { directory, password, ports };
  }

  async #startOne(engine: Engine): Promise<Record<string, string>> {
    const given = this.#given(engine);
    if (given) {
      if (await engine.answers(given)) return given;
      throw new Error(
        `No ${engine.name} answers at ${Object.keys(given).join(', ')}. Start it, or unset that to get a private one.`,
      );
    }
    for (let attempt = 1; ; attempt += 1) {
      try {
        const addresses = await this.#startPrivate(engine);
        this.#known.add(engine.name);
        return addresses;
      } catch (error) {
        const isTaken =
          error instanceof Error && /address already in use|postmaster\.pid" already exists/i.test(error.message);
        if (!isTaken || this.#set === 'main' || attempt === 20) throw error;
        // Who was killed may hold the port for a moment yet, or be listed until its parent has noticed, and whoever talked to it
        // looks for it there. Of two sets that were given the same free port at the same moment, the second takes another.
        if (this.#known.has(engine.name)) await sleep(250);
        else rmSync(join(this.#directory(engine.name), 'ports.json'), { force: true });
      }
    }
  }

  async #startPrivate(engine: Engine): Promise<Record<string, string>> {
    const place = await this.place(engine.name);
    const addresses = engine.addresses(place);
    if (!processes.running(place.directory)) {
      const program = engine.program(this.#shared);
      if (!program) throw new Error(`${engine.name} is not installed. Run "npm run engines -- --install".`);
      chmodSync(this.#root, 0o755);
      await engine.prepare(place, program);
      processes.launch(place.directory, engine.command(place, program));
    }
    await this.#answering(engine, place);
    return addresses;
  }

  async #answering(engine: Engine, place: Place): Promise<void> {
    const deadline = Date.now() + 60_000;
    let furnished = false;
    while (true) {
      const version = await engine.answers(engine.addresses(place));
      if (version && (furnished || !engine.furnish)) return;
      if (version && engine.furnish) {
        await engine.furnish(place);
        furnished = true;
      }
      if (!processes.running(place.directory) || Date.now() > deadline) {
        // A drill deletes the log with the data, so the words must be here.
        const words = readFileSync(join(place.directory, 'engine.log'), 'utf8').slice(-600);
        throw new Error(`${engine.name} did not come up. Its last words:\n${words}`);
      }
      await sleep(50);
    }
  }

  /** The user's own engine: the settings of it that are in the environment, when the first of them is. */
  #given(engine: Engine): Record<string, string> | undefined {
    if (this.#set !== 'main') return undefined;
    const names = Object.keys(engine.addresses({ directory: '', password: '', ports: {} }));
    if (!process.env[names[0] as string]) return undefined;
    return Object.fromEntries(names.map((name) => [name, process.env[name] ?? '']));
  }

  /** Made with the set and kept as long as its data. */
  #password(): string {
    return this.#writePassword(randomBytes(24).toString('base64url'));
  }

  /** Unless it has one. */
  #writePassword(password: string): string {
    const file = join(this.#root, this.#set, 'password');
    mkdirSync(dirname(file), { recursive: true });
    try {
      writeFileSync(file, password, { mode: 0o600, flag: 'wx' });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    return readFileSync(file, 'utf8');
  }

  #directory(name: EngineName): string {
    return join(this.#root, this.#set, name);
  }

  /** Programs are fetched once for all sets. */
  get #shared(): string {
    return join(this.#root, 'programs');
  }
}
