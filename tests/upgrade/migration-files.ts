import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folders = ['packages/postgres/migrations', 'packages/clickhouse/migrations'];

/** Every migration of the code in a directory, with the hash of its text. */
export const migrationFiles = (root: string): Record<string, string> =>
  Object.fromEntries(
    folders.flatMap((folder) =>
      readdirSync(join(root, folder))
        .sort()
        .map((file) => {
          const text = readFileSync(join(root, folder, file), 'utf8').replaceAll('\r\n', '\n');
          return [`${folder}/${file}`, createHash('sha256').update(text).digest('hex')];
        }),
    ),
  );
