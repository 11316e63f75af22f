import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** Lists the modules that the collector loads, in a separate process. */
const listing = `
  import { registerHooks } from 'node:module';
  const loaded = new Set();
  registerHooks({ load(url, context, next) { loaded.add(url); return next(url, context); } });
  const modules = [
    './app.ts', '@tributary/platform', '@tributary/postgres/look-ups.ts', '@tributary/redis', '@tributary/stream',
  ];
  for (const module of modules) await import(module);
  console.log(JSON.stringify([...loaded]));
  process.exit(0);
`;

function loadedModules(): string[] {
  const options = { cwd: import.meta.dirname, encoding: 'utf8', maxBuffer: 1 << 26 } as const;
  return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '--eval', listing], options));
}

const packageOf = (url: string): string | undefined => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1];
const listOwnFiles = (urls: readonly string[]): string[] => {
  const root = join(import.meta.dirname, '../..');
  return urls.flatMap((url) => (url.startsWith(`file://${root}/`) ? [url.slice(`file://${root}/`.length)] : []));
};

test('the collector loads no web framework, tracing, query builder, ClickHouse, or other domain module', () => {
  const urls = loadedModules();
  const packages = new Set(urls.map(packageOf));
  const heavy = [
    'fastify',
    'kysely',
    'prom-client',
    '@clickhouse/client',
    'better-auth',
    'libphonenumber-js',
    'csv-parse',
  ];
  expect(heavy.filter((name) => packages.has(name))).toEqual([]);
  expect([...packages].filter((name) => name?.startsWith('@opentelemetry/'))).toEqual([]);
  // Checks that the listing works at all.
  expect(packages).toContain('pg');

  const modules = new Set(listOwnFiles(urls).flatMap((path) => /^domain\/[^/]+\/[^/]+/.exec(path) ?? []));
  expect([...modules]).toEqual(['domain/traffic/ingestion']);
  expect(listOwnFiles(urls).filter((path) => path.startsWith('packages/http/'))).toEqual([]);
});
