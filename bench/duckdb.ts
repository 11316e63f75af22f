import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const version = '1.5.6-r.1';
const folder = join(import.meta.dirname, '../.engines/programs/duckdb');

export interface DuckDB {
  run(sql: string): Promise<void>;
  rows(sql: string): Promise<Record<string, unknown>[]>;
  close(): void;
}

/** Whether it has been installed. */
export const hasDuckDB = (): boolean => existsSync(join(folder, 'node_modules/@duckdb/node-api'));

/** DuckDB is needed only to compare and verify, so it is installed on demand and is not a dependency. */
export function fetchDuckDB(): void {
  if (hasDuckDB()) return;
  mkdirSync(folder, { recursive: true });
  execFileSync(
    'npm',
    ['install', '--prefix', folder, '--no-save', '--no-fund', '--no-audit', `@duckdb/node-api@${version}`],
    { stdio: 'ignore' },
  );
}

export async function openDuckDB(file: string, threads: number): Promise<DuckDB> {
  fetchDuckDB();
  const { DuckDBInstance } = createRequire(join(folder, 'node_modules/'))('@duckdb/node-api');
  const settings = { threads: String(threads), memory_limit: '12GB', preserve_insertion_order: 'false' };
  const instance = await DuckDBInstance.create(file, settings);
  const connection = await instance.connect();
  return {
    run: async (sql) => void (await connection.run(sql)),
    rows: async (sql) => (await connection.runAndReadAll(sql)).getRowObjects(),
    close: () => {
      connection.closeSync();
      instance.closeSync();
    },
  };
}
