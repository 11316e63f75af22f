import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Fault } from './fault.ts';
import type { LaneRequest, LaneResponse } from './lane.ts';

export const root = join(import.meta.dirname, '../..');

/**
 * A copy of the tracked files with hard links to the packages. Faults are made in the copy, so that a killed run leaves none in the checkout.
 * The copy is kept for the next run, which then has warm caches. A fault in a migration gets its own template database, because the testkit
 * names the template after the migrations.
 */
export class Copy {
  readonly #at: string;
  readonly #files = new Map<string, string>();
  #lane: Lane | undefined;
  /** Files that changed since the last test run. */
  readonly #changed = new Set<string>();

  /** One copy for each lane and checkout, because checkouts may share their engines. */
  constructor(lane: number) {
    const checkout = createHash('sha256').update(root).digest('hex').slice(0, 8);
    this.#at = join(root, '.engines/mutants', `${checkout}-${lane}`);
    const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' });
    for (const file of files.trim().split('\n')) {
      if (!existsSync(join(root, file))) continue;
      const bytes = readFileSync(join(root, file));
      this.#files.set(file, createHash('sha256').update(bytes).digest('hex'));
      this.#write(file, bytes);
    }
    const folders = globSync('*', { cwd: this.#at }).filter((name) => name !== 'node_modules');
    for (const file of globSync(
      folders.map((name) => `${name}/**`),
      { cwd: this.#at, exclude: ['**/node_modules'] },
    ))
      if (!this.#files.has(file) && statSync(join(this.#at, file)).isFile()) rmSync(join(this.#at, file));
    // The engines are shared; each test has its own database.
    if (!existsSync(join(this.#at, '.engines'))) symlinkSync(join(root, '.engines'), join(this.#at, '.engines'));
    this.#linkPackages();
  }

  #write(file: string, bytes: Buffer): void {
    const to = join(this.#at, file);
    if (existsSync(to) && readFileSync(to).equals(bytes)) return;
    mkdirSync(dirname(to), { recursive: true });
    writeFileSync(to, bytes, { mode: statSync(join(root, file)).mode });
  }

  #linkPackages(): void {
    const linked = join(this.#at, 'node_modules/.linked');
    const wanted = this.#files.get('package-lock.json') ?? '';
    if (existsSync(linked) && readFileSync(linked, 'utf8') === wanted) return;
    for (const packages of globSync('{,*/,*/*/}node_modules', { cwd: root })) {
      rmSync(join(this.#at, packages), { recursive: true, force: true });
      mkdirSync(dirname(join(this.#at, packages)), { recursive: true });
      execFileSync('cp', ['-al', join(root, packages), join(this.#at, packages)]);
    }
    // Tools write into these caches, and a hard link would change the file in the checkout.
    for (const cache of ['.vite', '.vitest', '.vitest-cache', '.cache'])
      rmSync(join(this.#at, 'node_modules', cache), { recursive: true, force: true });
    writeFileSync(linked, wanted);
  }

  /** A hash of the files under these paths and of those that `isOther` selects. */
  fingerprint(paths: readonly string[], isOther: (file: string) => boolean = () => false): string {
    const isUnder = (file: string) => paths.some((path) => file === path || file.startsWith(`${path}/`));
    const hash = createHash('sha256');
    for (const [file, digest] of this.#files) if (isUnder(file) || isOther(file)) hash.update(`${file} ${digest}\n`);
    return hash.digest('hex').slice(0, 16);
  }

  /** Makes the fault, runs the tests and restores the file. Resolves to the first test that failed, or undefined if all passed. */
  async runWith(fault: Fault, tests: string): Promise<string | undefined> {
    const file = join(this.#at, fault.file);
    const text = readFileSync(file, 'utf8');
    writeFileSync(
      file,
      text.replace(fault.from, () => fault.to),
    );
    // The template database is created when a lane starts.
    const changesTemplate = /^packages\/(postgres\/migrations|work\/catalogue)/.test(fault.file);
    if (changesTemplate) this.close();
    try {
      return await this.run(tests, [fault.file]);
    } finally {
      writeFileSync(file, text);
      this.#changed.add(fault.file);
      if (changesTemplate) this.close();
    }
  }

  /** Runs the tests with a file changed, then restores it. Resolves to the first test that failed. */
  async runChanged(path: string, text: string, tests: readonly string[]): Promise<string | undefined> {
    const file = join(this.#at, path);
    const original = readFileSync(file, 'utf8');
    writeFileSync(file, text);
    try {
      return await this.run(tests, [path]);
    } finally {
      writeFileSync(file, original);
      this.#changed.add(path);
    }
  }

  /** The folder of the copy. */
  get path(): string {
    return this.#at;
  }

  /** Kills the lane with all of its processes, even one in an endless loop; the next run starts another. */
  kill(): void {
    const pid = this.#lane?.process.pid;
    this.#lane = undefined;
    if (pid) process.kill(-pid, 'SIGKILL');
  }

  /** Runs the tests of a file or folder, of several files, or all tests. */
  async run(tests: string | readonly string[], changed: readonly string[] = []): Promise<string | undefined> {
    this.#lane ??= startLane(this.#at);
    const { process: lane, ended } = this.#lane;
    await Promise.race([this.#lane.started, ended]);
    const request: LaneRequest = { tests, changed: [...this.#changed, ...changed] };
    this.#changed.clear();
    const response = once(lane, 'message') as Promise<[LaneResponse]>;
    lane.send(request);
    const [{ failed, broken }] = await Promise.race([response, ended]);
    if (broken !== undefined) throw new Error(broken);
    return failed;
  }

  close(): void {
    this.#lane?.process.disconnect();
    this.#lane = undefined;
  }
}

interface Lane {
  readonly process: ChildProcess;
  readonly started: Promise<unknown>;
  /** Rejects with the end of the output when the process exits. */
  readonly ended: Promise<never>;
}

function startLane(at: string): Lane {
  const lane = fork(join(at, 'tests/mutants/lane.ts'), {
    cwd: at,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    // Its own process group, so that all of its processes can be killed.
    detached: true,
    env: { ...process.env, CI: '' },
  });
  let output = '';
  lane.stderr?.on('data', (data) => {
    output = `${output}${data}`.slice(-2_000);
  });
  const ended = once(lane, 'exit').then(() => {
    throw new Error(`The tests exited without a result:\n${output}`);
  });
  // Prevents an unhandled rejection when the process exits between two runs.
  ended.catch(() => {});
  return { process: lane, started: once(lane, 'message'), ended };
}
