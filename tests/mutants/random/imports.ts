import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { parseSync } from 'oxc-parser';
import { root } from '../copy.ts';

/** Test files in the order in which they are run against a mutant, in groups: a group starts only if none before it failed. */
export type TestPlan = readonly (readonly string[])[];

const isTest = (file: string) => /\.test\.tsx?$/.test(file);

/** A file that imports at least this many modules assembles a process, so its imports do not show which tests are near. */
const modulesOfHub = 6;

/** Tests that take minutes, depend on built files and browsers, or start their own engines. */
const isSlow = (file: string, source: string) =>
  /^tests\/(e2e|generated|upgrade|published|chaos|conformance|mutants)\//.test(file) ||
  /new Supervisor\(|openDrillEngines|startShards|spawnWorker\(/.test(source);

/** Limits of a plan. The first group is small, because the nearest tests catch most mutants. */
const limits = { ofModule: 15, elsewhere: 4, distance: 6 };
const groupSizes = [3, 6, 10];

/** The imports between the files of the working tree, and the nearest tests of a file. */
export class Imports {
  readonly #importers = new Map<string, Set<string>>();
  readonly #hubs = new Set<string>();
  readonly #tests: string[];
  readonly #sources = new Map<string, string>();

  constructor() {
    const files = globSync('{apps,domain,packages,tests}/**/*.{ts,tsx}', {
      cwd: root,
      exclude: (path) => /node_modules|\/dist(\/|$)/.test(path),
    });
    const packages = readPackages();
    for (const file of files) {
      const source = readFileSync(join(root, file), 'utf8');
      this.#sources.set(file, source);
      const imported = requestsOf(file, source).flatMap((name) => resolve(file, name, packages) ?? []);
      for (const one of imported) this.#addImporter(one, file);
      const modules = new Set(imported.map(moduleOf).filter((module) => module.startsWith('domain/')));
      if (file.startsWith('tests/kit/') || (!isTest(file) && file.startsWith('apps/') && modules.size >= modulesOfHub))
        this.#hubs.add(file);
    }
    this.#tests = files.filter((file) => isTest(file) && !isSlow(file, this.#sources.get(file) ?? '')).sort();
  }

  #addImporter(imported: string, importer: string): void {
    this.#importers.set(imported, (this.#importers.get(imported) ?? new Set()).add(importer));
  }

  /** Tests named after the file or importing it, then those of its module, then those that import it indirectly, nearest first. */
  planFor(file: string): TestPlan {
    const distances = this.#distancesFrom(file);
    const direct = this.#sort(
      this.#tests.filter((test) => distances.get(test) === 1 || test.replace('.test.', '.') === file),
      file,
      distances,
    );
    const module = moduleOf(file);
    const isPackage = file.startsWith('packages/');
    // Tests of a domain module open the API and so reach all of its files; tests of a package reach only what they import.
    const inModule = this.#tests.filter((test) => moduleOf(test) === module && (!isPackage || distances.has(test)));
    const own = unique([...direct, ...this.#sort(inModule, file, distances)]).slice(0, limits.ofModule);
    const others = this.#tests.filter((test) => !own.includes(test) && moduleOf(test) !== module);
    const nearest = this.#sort(
      others.filter((test) => this.#distanceOf(test, distances) <= limits.distance),
      file,
      distances,
    ).slice(0, limits.elsewhere);
    return groupsOf([...own, ...nearest]);
  }

  /** Whether one of these files imports the file, directly or through others. */
  isImportedByAny(file: string, importers: ReadonlySet<string>): boolean {
    const reached = new Set([file]);
    for (const at of reached) for (const importer of this.#importers.get(at) ?? []) reached.add(importer);
    return [...importers].some((importer) => reached.has(importer));
  }

  /** The number of imports from each file to the mutated one, ignoring paths through hubs such as the test kit. */
  #distancesFrom(file: string): Map<string, number> {
    const distances = new Map([[file, 0]]);
    const starts = file.endsWith('.sql') ? this.#usersOf(file) : [];
    for (const user of starts) distances.set(user, 0);
    for (const [at, distance] of distances) {
      if (this.#hubs.has(at) && at !== file) continue;
      for (const importer of this.#importers.get(at) ?? [])
        if (!distances.has(importer)) distances.set(importer, distance + 1);
    }
    return distances;
  }

  /** Files that contain the name of a query. */
  #usersOf(file: string): string[] {
    const name = `'${file.replace(/^.*\/|\.sql$/g, '')}'`;
    return [...this.#sources].filter(([, source]) => source.includes(name)).map(([user]) => user);
  }

  /** The distance of a test. A test that reaches the file only through the kit counts from the nearest file of its folder. */
  #distanceOf(test: string, distances: ReadonlyMap<string, number>): number {
    const folder = dirname(test);
    const beside = [...distances].filter(
      ([file]) => dirname(file) === folder && !isTest(file) && !this.#hubs.has(file),
    );
    return Math.min(distances.get(test) ?? Number.POSITIVE_INFINITY, ...beside.map(([, distance]) => distance + 1));
  }

  /** Nearest first, then similar names, then the shortest file. */
  #sort(tests: readonly string[], file: string, distances: ReadonlyMap<string, number>): string[] {
    const rank = (test: string) =>
      Math.min(this.#distanceOf(test, distances), 99) * 10 - likeness(test, file) * 5 - (isUnder(test, file) ? 10 : 0);
    return tests.toSorted((one, other) => rank(one) - rank(other) || this.#sizeOf(one) - this.#sizeOf(other));
  }

  #sizeOf = (file: string): number => this.#sources.get(file)?.length ?? 0;
}

/** The folder that is a module: `domain/advertising/exports`, `packages/rules`, `apps/cli`. */
const moduleOf = (file: string): string => file.split('/').slice(0, depthOf(file)).join('/');

const depthOf = (file: string): number => (file.startsWith('domain/') ? 3 : 2);

const isUnder = (test: string, file: string): boolean => dirname(test) === dirname(file);

/** The number of words that the paths of a test and of a file share within their modules. */
function likeness(test: string, file: string): number {
  const words = (path: string) =>
    path
      .split('/')
      .slice(depthOf(path))
      .join('/')
      .replace(/\.(test\.)?\w+$/g, '')
      .split(/[-./]/);
  return words(test).filter((word) => words(file).some((own) => own.slice(0, 5) === word.slice(0, 5))).length;
}

const unique = (all: readonly string[]): string[] => [...new Set(all)];

function groupsOf(tests: readonly string[]): string[][] {
  const ends = groupSizes.map((_, at) => groupSizes.slice(0, at + 1).reduce((sum, size) => sum + size, 0));
  return ends.map((end, at) => tests.slice(ends[at - 1] ?? 0, end)).filter((group) => group.length > 0);
}

function requestsOf(file: string, source: string): string[] {
  const { module } = parseSync(file, source);
  const exported = module.staticExports.flatMap(({ entries }) => entries);
  const dynamic = module.dynamicImports.map(({ moduleRequest: { start, end } }) => source.slice(start, end));
  return [
    ...module.staticImports
      .filter(({ entries }) => entries.length === 0 || entries.some(({ isType }) => !isType))
      .map(({ moduleRequest }) => moduleRequest.value),
    ...exported.flatMap(({ moduleRequest, isType }) => (moduleRequest && !isType ? [moduleRequest.value] : [])),
    ...dynamic.map((text) => text.replace(/^['"`]|['"`]$/g, '')),
  ];
}

/** The folder and the entries of each package of the workspace, by name. */
function readPackages(): Map<string, { readonly folder: string; readonly exports: Readonly<Record<string, string>> }> {
  const files = globSync('{packages/*,apps/*,domain,tests/kit}/package.json', { cwd: root });
  return new Map(
    files.map((file) => {
      const { name, exports = {} } = JSON.parse(readFileSync(join(root, file), 'utf8'));
      return [name, { folder: dirname(file), exports: typeof exports === 'string' ? { '.': exports } : exports }];
    }),
  );
}

function resolve(from: string, name: string, packages: ReturnType<typeof readPackages>): string | undefined {
  if (name.startsWith('.')) {
    const path = relative(root, join(root, dirname(from), name));
    return existsSync(join(root, path)) && statSync(join(root, path)).isFile() ? path : undefined;
  }
  const [, scope = '', rest] = /^(@tributary\/[^/]+)(?:\/(.+))?$/.exec(name) ?? [];
  const found = packages.get(scope);
  if (!found) return undefined;
  const entry = rest ? `./${rest}` : '.';
  const module = rest?.endsWith('/module.ts') ? entry : undefined;
  const star = rest && found.exports['./*']?.replace('*', rest);
  const target = found.exports[entry] ?? module ?? star;
  return typeof target === 'string' ? join(found.folder, target) : undefined;
}
