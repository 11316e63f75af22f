import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { dumpSchema } from './dump.ts';

/** The committed description of a migrated database: its schema as SQL and its tables as types. */
export async function generateSchema(ownerUrl: string): Promise<{ dump: string; types: string }> {
  const codegen = join(import.meta.dirname, '../../node_modules/.bin/kysely-codegen');
  const types = execFileSync(
    codegen,
    [
      '--dialect',
      'postgres',
      '--url',
      ownerUrl,
      '--default-schema',
      'public',
      '--exclude-pattern',
      'kysely_*',
      '--print',
      '--log-level',
      'silent',
    ],
    { encoding: 'utf8' },
  );
  return { dump: dumpSchema(ownerUrl), types };
}
