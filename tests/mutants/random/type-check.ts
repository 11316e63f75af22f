import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../copy.ts';
import type { Mutant } from './draw.ts';
import type { Imports } from './imports.ts';

/**
 * Leaves out mutants that the compiler refuses: nobody could commit them. All are made at once, since the compiler reads the whole project
 * in any case. An error in another file is put down to the mutants that it imports.
 */
export async function leaveOutRefused(mutants: readonly Mutant[], copy: string, imports: Imports): Promise<Mutant[]> {
  let left = [...mutants];
  for (let refused = new Set(left); refused.size > 0; left = left.filter((mutant) => !refused.has(mutant)))
    refused = new Set(await refusedOf(left, copy, imports));
  return left;
}

async function refusedOf(mutants: readonly Mutant[], copy: string, imports: Imports): Promise<Mutant[]> {
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

/** The compiler keeps what it knows between runs, so that only what a mutant may change is checked again. */
function listFaultyFiles(copy: string): Promise<Set<string>> {
  const memory = join(copy, 'node_modules/.cache-types.tsbuildinfo');
  const args = ['--noEmit', '--pretty', 'false', '--incremental', '--tsBuildInfoFile', memory, '-p', copy];
  return new Promise((done) => {
    execFile(join(root, 'node_modules/.bin/tsc'), args, { cwd: copy, maxBuffer: 100_000_000 }, (_error, output) =>
      done(new Set([...output.matchAll(/^([^\s(][^(]*)\(\d+,\d+\): error/gm)].map(([, file]) => file ?? ''))),
    );
  });
}
