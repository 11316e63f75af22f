import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { schemaFile } from './dump.ts';
import { dumpSchema } from './schema.ts';
import { createScratch, type Scratch } from './scratch.ts';

let scratch: Scratch;
beforeAll(async () => {
  scratch = await createScratch();
});
afterAll(() => scratch.drop());

test('schema.sql is what the migrations make; `node packages/clickhouse/dump.ts` writes it anew', async () => {
  expect(await dumpSchema(scratch.client)).toBe(readFileSync(schemaFile, 'utf8'));
});

test('no trace of the database that it was taken from', async () => {
  expect(await dumpSchema(scratch.client)).not.toContain(scratch.settings.database);
});
