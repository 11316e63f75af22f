import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';

/** The schema as text, for review and for comparison in CI. */
export function dumpSchema(ownerUrl: string): string {
  const text = execFileSync(
    pgDump(),
    ['--schema-only', '--schema=public', '--no-owner', '--no-comments', '--exclude-table=kysely_*', ownerUrl],
    { encoding: 'utf8', maxBuffer: 1 << 26 },
  );
  const lines = text
    .split('\n')
    // Versions, a random token of newer releases, and session settings are not part of the schema.
    .filter((line) => !/^(--|\\(un)?restrict|SET |SELECT pg_catalog)/.test(line));
  return `${lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()}\n`;
}

/** The newest pg_dump installed on this machine. */
export function pgDump(): string {
  const root = '/usr/lib/postgresql';
  try {
    const newest = readdirSync(root).sort((a, b) => Number(b) - Number(a))[0];
    return `${root}/${newest}/bin/pg_dump`;
  } catch {
    return 'pg_dump';
  }
}
