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

test('schema.sql matches the migrations; `node packages/clickhouse/dump.ts` regenerates it', async () => {
  expect(await dumpSchema(scratch.client)).toBe(readFileSync(schemaFile, 'utf8'));
});

test('the dump does not contain the name of its database', async () => {
  expect(await dumpSchema(scratch.client)).not.toContain(scratch.settings.database);
});
