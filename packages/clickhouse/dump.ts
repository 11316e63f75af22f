import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { dumpSchema } from './schema.ts';
import { createScratch } from './scratch.ts';

/** `node packages/clickhouse/dump.ts` regenerates schema.sql after a migration was added. */
export const schemaFile = new URL('schema.sql', import.meta.url).pathname;

if (import.meta.main) {
  const scratch = await createScratch();
  try {
    writeFileSync(schemaFile, await dumpSchema(scratch.client));
    console.log(`${relative(process.cwd(), schemaFile)} is as the migrations say.`);
  } finally {
    await scratch.drop();
  }
}
