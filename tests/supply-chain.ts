import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The fields of a package in the lock file that are checked. */
interface Locked {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly hasInstallScript?: boolean;
  readonly link?: boolean;
  /** Bundled in another package, whose integrity hash covers it. */
  readonly inBundle?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

export type Lock = Readonly<Record<string, Locked>>;

/** Licences that allow users to use, change and redistribute the product. MPL-2.0 covers only changes to its own files. */
const licences = new Set([
  '0BSD',
  'AFL-2.1',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'MIT-0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MPL-2.0',
  'Python-2.0',
  'Unlicense',
  'Zlib',
]);

/** Packages whose install scripts were reviewed or are never run (tests/published). Others fail, because an install script can run anything. */
const installScripts = new Set(['@swc/core', 'bun', 'deno']);

export const readLock = (root: string): Lock =>
  (JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as { packages: Lock }).packages;

/** Finds faults of the packages in the lock file. Advisories are not checked here, because they need a network. */
export function supplyChainFaults(lock: Lock): string[] {
  return Object.entries(lock).flatMap(([path, entry]) => {
    const name = path.split('node_modules/').at(-1) ?? path;
    if (!path.includes('node_modules/') || entry.link) return [];
    const faults: string[] = [];
    if (!entry.inBundle && !entry.integrity?.startsWith('sha512-')) faults.push('has no sha512 integrity');
    if (entry.resolved) faults.push('names a download address');
    if (!isLicensed(entry.license)) faults.push(`is under "${entry.license}", which is not on our list`);
    for (const wanted of Object.keys(entry.optionalDependencies ?? {}))
      if (!isLocked(lock, path, wanted)) faults.push(`has no entry for ${wanted}, so "npm ci" fails on every machine`);
    if (entry.hasInstallScript && !installScripts.has(name)) faults.push('runs a script when it is installed');
    return faults.map((fault) => `${name} ${entry.version}: ${fault}`);
  });
}

/** Checks the folders in which Node resolves a package: its own node_modules, then those of each parent folder. */
function isLocked(lock: Lock, path: string, wanted: string): boolean {
  const parts = `${path}/`.split('node_modules/');
  return parts.some(
    (_, index) => `${parts.slice(0, parts.length - index).join('node_modules/')}node_modules/${wanted}` in lock,
  );
}

/** With OR one known licence is enough; with AND every licence must be known. */
function isLicensed(expression: string | undefined): boolean {
  const parts = expression?.replaceAll(/[()]/g, '').split(/ (AND|OR) /) ?? [''];
  const known = parts.filter((_, index) => index % 2 === 0).map((licence) => licences.has(licence));
  return parts.includes('OR') && !parts.includes('AND') ? known.some(Boolean) : known.every(Boolean);
}
