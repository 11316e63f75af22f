import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { clickhouse, joinShards } from './clickhouse.ts';
import type { Engine, EngineName, Instance } from './engine.ts';
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
 * A set of private engines under `.engines/SET/`. The set "main" serves development and tests. A chaos test that breaks engines opens its
 * own set, so that other work is not affected.
 */
export class Supervisor {
  readonly #root: string;
  readonly #set: string;
  /** Engines that have answered, so clients may know their addresses. */
  readonly #hasAnswered = new Set<EngineName>();

  constructor(set = 'main', root = join(import.meta.dirname, '../../.engines')) {
    this.#root = root;
    this.#set = set;
  }

  /** Uses the engines at the user's own addresses, otherwise starts private ones. Resolves to the environment variables that name them. */
  async start(names: readonly EngineName[] = engineNames): Promise<Record<string, string>> {
    const addresses = await Promise.all(names.map((name) => this.#startOne(catalogue[name])));
    return Object.assign({}, ...addresses);
  }

  async install(names: readonly EngineName[] = engineNames, log: (line: string) => void = () => {}): Promise<void> {
    for (const name of names) {
      if (this.#userAddresses(catalogue[name]) || catalogue[name].program(this.#shared)) continue;
      log(`installing ${name} ...`);
      mkdirSync(this.#shared, { recursive: true });
      await catalogue[name].install(this.#shared);
    }
  }

  stop = (name: EngineName) => processes.stop(this.#directory(name));
  kill = (name: EngineName) => processes.kill(this.#directory(name));
  pause = (name: EngineName) => processes.pause(this.#directory(name));
  resume = (name: EngineName) => processes.resume(this.#directory(name));

  /** kill -9 and deletes the data, like the loss of a machine. A restarted engine is empty. */
  async lose(name: EngineName): Promise<void> {
    await this.kill(name);
    rmSync(join(this.#directory(name), 'data'), { recursive: true, force: true });
  }

  /** Makes the NATS servers of this set and of others one cluster, before any of them is started. */
  async joinNats(others: readonly Supervisor[]): Promise<void> {
    for (const other of others) other.#writePassword(this.#password());
    const instances: Instance[] = [];
    for (const one of [this, ...others]) instances.push(await one.place('nats'));
    await joinServers(instances);
  }

  /** Makes the ClickHouse servers of this set and of others the shards of one cluster, before any of them is started. */
  async joinClickHouse(others: readonly Supervisor[]): Promise<void> {
    for (const other of others) other.#writePassword(this.#password());
    joinShards(await Promise.all([this, ...others].map((one) => one.place('clickhouse'))));
  }

  /** Gives other sets the password of this one, before any of them is started: their PostgreSQL servers form one ledger. */
  joinPostgres(others: readonly Supervisor[]): void {
    for (const other of others) other.#writePassword(this.#password());
  }

  /** Starts the PostgreSQL of this set as a standby of another set's. */
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
    const userAddresses = this.#userAddresses(engine);
    const addresses = userAddresses ?? engine.addresses(await this.place(name));
    const version = await engine.answers(addresses);
    if (userAddresses) return { name, state: version ? 'yours' : 'silent', addresses, ...(version && { version }) };
    if (version) return { name, state: 'running', version, addresses };
    if (processes.running(this.#directory(name))) return { name, state: 'silent', addresses };
    return { name, state: engine.program(this.#shared) ? 'stopped' : 'not installed', addresses };
  }

  /** The environment variables that name this set's private engines, for engines that were ever started. */
  async knownAddresses(): Promise<Record<string, string>> {
    const started = engineNames.filter((name) => existsSync(join(this.#directory(name), 'ports.json')));
    return Object.assign(
      {},
      ...(await Promise.all(started.map(async (name) => catalogue[name].addresses(await this.place(name))))),
    );
  }

  /** The location of a private instance. Its ports are chosen once and stored. */
  async place(name: EngineName): Promise<Instance> {
    const directory = this.#directory(name);
    const file = join(directory, 'ports.json');
    mkdirSync(directory, { recursive: true });
    const password = this.#password();
    if (existsSync(file)) return { directory, password, ports: JSON.parse(readFileSync(file, 'utf8')) };
    const ports: Record<string, number> = {};
    for (const [role, preferred] of Object.entries(catalogue[name].ports)) {
      ports[role] = await freePort(this.#set === 'main' ? preferred : 0);
    }
    writeFileSync(file, JSON.stringify(ports));
    return { directory, password, ports };
  }

  async #startOne(engine: Engine): Promise<Record<string, string>> {
    const userAddresses = this.#userAddresses(engine);
    if (userAddresses) {
      if (await engine.answers(userAddresses)) return userAddresses;
      throw new Error(
        `No ${engine.name} answers at ${Object.keys(userAddresses).join(', ')}. Start it, or unset that to get a private one.`,
      );
    }
    for (let attempt = 1; ; attempt += 1) {
      try {
        const addresses = await this.#startPrivate(engine);
        this.#hasAnswered.add(engine.name);
        return addresses;
      } catch (error) {
        const isOccupied =
          error instanceof Error && /address already in use|postmaster\.pid" already exists/i.test(error.message);
        if (!isOccupied || this.#set === 'main' || attempt === 20) throw error;
        // A killed process may occupy the port for a moment, or be listed until its parent has reaped it. Clients may know the address, so
        // it keeps the port. If two sets chose the same free port at once, the second chooses another.
        if (this.#hasAnswered.has(engine.name)) await sleep(250);
        else rmSync(join(this.#directory(engine.name), 'ports.json'), { force: true });
      }
    }
  }

  async #startPrivate(engine: Engine): Promise<Record<string, string>> {
    const instance = await this.place(engine.name);
    const addresses = engine.addresses(instance);
    if (!processes.running(instance.directory)) {
      const program = engine.program(this.#shared);
      if (!program) throw new Error(`${engine.name} is not installed. Run "npm run engines -- --install".`);
      chmodSync(this.#root, 0o755);
      await engine.prepare(instance, program);
      processes.launch(instance.directory, engine.command(instance, program));
    }
    await this.#waitUntilReady(engine, instance);
    return addresses;
  }

  async #waitUntilReady(engine: Engine, instance: Instance): Promise<void> {
    const deadline = Date.now() + 60_000;
    let initialized = false;
    while (true) {
      const version = await engine.answers(engine.addresses(instance));
      if (version && (initialized || !engine.initialize)) return;
      if (version && engine.initialize) {
        await engine.initialize(instance);
        initialized = true;
      }
      if (!processes.running(instance.directory) || Date.now() > deadline) {
        // A chaos test deletes the log with the data, so its end is included in the error.
        const logEnd = readFileSync(join(instance.directory, 'engine.log'), 'utf8').slice(-600);
        throw new Error(`${engine.name} did not come up. Its last words:\n${logEnd}`);
      }
      await sleep(50);
    }
  }

  /** The user's own engine: its environment variables, if the first of them is set. */
  #userAddresses(engine: Engine): Record<string, string> | undefined {
    if (this.#set !== 'main') return undefined;
    const names = Object.keys(engine.addresses({ directory: '', password: '', ports: {} }));
    if (!process.env[names[0] as string]) return undefined;
    return Object.fromEntries(names.map((name) => [name, process.env[name] ?? '']));
  }

  /** Created with the set and kept as long as its data. */
  #password(): string {
    return this.#writePassword(randomBytes(24).toString('base64url'));
  }

  /** Does nothing if the set already has a password. */
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

  /** Programs are downloaded once for all sets. */
  get #shared(): string {
    return join(this.#root, 'programs');
  }
}
