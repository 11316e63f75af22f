import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Fault } from './fault.ts';
import type { Answered, Asked } from './lane.ts';

export const root = join(import.meta.dirname, '../..');

/**
 * The tracked files and hard links to the packages; mistakes are made there, so that a killed run leaves none behind. It stays for the next
 * run, whose caches are warm then. A mistake in a migration makes a template database of its own: the testkit names it after the migrations.
 */
export class Copy {
  readonly #at: string;
  readonly #files = new Map<string, string>();
  #lane: Lane | undefined;
  /** What has changed since the tests were last run. */
  readonly #changed = new Set<string>();

  /** One for each lane; and checkouts may share their engines. */
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
    // The engines are shared; each test has a database of its own.
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
    // Caches are written into, and a hard link is the very file of the checkout.
    for (const cache of ['.vite', '.vitest', '.vitest-cache', '.cache'])
      rmSync(join(this.#at, 'node_modules', cache), { recursive: true, force: true });
    writeFileSync(linked, wanted);
  }

  /** Of the files under these paths; with `isOther`, of all that are not. */
  fingerprint(paths: readonly string[], isOther: (file: string) => boolean = () => false): string {
    const isUnder = (file: string) => paths.some((path) => file === path || file.startsWith(`${path}/`));
    const hash = createHash('sha256');
    for (const [file, digest] of this.#files) if (isUnder(file) || isOther(file)) hash.update(`${file} ${digest}\n`);
    return hash.digest('hex').slice(0, 16);
  }

  /** Makes the mistake, runs the tests, takes it back. Resolves to the first test that failed; undefined where all passed. */
  async runWith(fault: Fault, tests: string): Promise<string | undefined> {
    const file = join(this.#at, fault.file);
    const text = readFileSync(file, 'utf8');
    writeFileSync(
      file,
      text.replace(fault.from, () => fault.to),
    );
    // The template database is made when a lane begins.
    const isOfTemplate = /^packages\/(postgres\/migrations|work\/catalogue)/.test(fault.file);
    if (isOfTemplate) this.close();
    try {
      return await this.run(tests, [fault.file]);
    } finally {
      writeFileSync(file, text);
      this.#changed.add(fault.file);
      if (isOfTemplate) this.close();
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

  /** Where the copy is. */
  get path(): string {
    return this.#at;
  }

  /** Ends the lane with all of its processes, also one that is in an endless loop; the next run begins another. */
  kill(): void {
    const pid = this.#lane?.process.pid;
    this.#lane = undefined;
    if (pid) process.kill(-pid, 'SIGKILL');
  }

  /** Runs the tests of a file or folder, of several files, or all. */
  async run(tests: string | readonly string[], changed: readonly string[] = []): Promise<string | undefined> {
    this.#lane ??= begin(this.#at);
    const { process: lane, ended } = this.#lane;
    await Promise.race([this.#lane.begun, ended]);
    const asked: Asked = { tests, changed: [...this.#changed, ...changed] };
    this.#changed.clear();
    const answered = once(lane, 'message') as Promise<[Answered]>;
    lane.send(asked);
    const [{ failed, broken }] = await Promise.race([answered, ended]);
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
  readonly begun: Promise<unknown>;
  /** Fails when the process ends, with its last words. */
  readonly ended: Promise<never>;
}

function begin(at: string): Lane {
  const lane = fork(join(at, 'tests/mutants/lane.ts'), {
    cwd: at,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    // A group of its own, so that all of its processes can be ended.
    detached: true,
    env: { ...process.env, CI: '' },
  });
  let words = '';
  lane.stderr?.on('data', (data) => {
    words = `${words}${data}`.slice(-2_000);
  });
  const ended = once(lane, 'exit').then(() => {
    throw new Error(`The tests ended without an answer:\n${words}`);
  });
  // Nobody waits for it between two runs.
  ended.catch(() => {});
  return { process: lane, begun: once(lane, 'message'), ended };
}
