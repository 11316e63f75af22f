import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../copy.ts';
import type { Mutant } from './draw.ts';
import type { Imports } from './imports.ts';

/**
 * Leaves out mutants that do not compile, because they could not be committed. All mutants are applied at once, because the compiler reads
 * the whole project anyway. An error in another file is attributed to the mutants that it imports.
 */
export async function keepCompiling(mutants: readonly Mutant[], copy: string, imports: Imports): Promise<Mutant[]> {
  let remaining = [...mutants];
  for (
    let rejected = new Set(remaining);
    rejected.size > 0;
    remaining = remaining.filter((mutant) => !rejected.has(mutant))
  )
    rejected = new Set(await findRejected(remaining, copy, imports));
  return remaining;
}

async function findRejected(mutants: readonly Mutant[], copy: string, imports: Imports): Promise<Mutant[]> {
  if (mutants.length === 0) return [];
  const originals = mutants.map(({ file }) => readFileSync(join(root, file), 'utf8'));
  for (const { file, mutated } of mutants) writeFileSync(join(copy, file), mutated);
  try {
    const faulty = await listFaultyFiles(copy);
    const inside = mutants.filter(({ file }) => faulty.has(file));
    if (inside.length > 0 || faulty.size === 0) return inside;
    return mutants.filter(({ file }) => imports.isImportedByAny(file, faulty));
  } finally {
    for (const [at, { file }] of mutants.entries()) writeFileSync(join(copy, file), originals[at] ?? '');
  }
}

/** Incremental: the compiler checks only files that a mutant may affect. */
function listFaultyFiles(copy: string): Promise<Set<string>> {
  const cache = join(copy, 'node_modules/.cache-types.tsbuildinfo');
  const args = ['--noEmit', '--pretty', 'false', '--incremental', '--tsBuildInfoFile', cache, '-p', copy];
  return new Promise((done) => {
    execFile(join(root, 'node_modules/.bin/tsc'), args, { cwd: copy, maxBuffer: 100_000_000 }, (_error, output) =>
      done(new Set([...output.matchAll(/^([^\s(][^(]*)\(\d+,\d+\): error/gm)].map(([, file]) => file ?? ''))),
    );
  });
}
