import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openapi, parseChangelog, type Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import type { Services } from './services.ts';

/** Built once per process, because it cannot change while the process runs. */
let description: ReturnType<typeof openapi> | undefined;

export const readOpenapi: Handles<Routes['readOpenapi'], Services> = async (
  _input,
  { baseUrl, apiUrl, collectorUrl },
) => {
  description ??= openapi({ baseUrl, ...(apiUrl && { apiUrl }), collectorUrl });
  return answer(200, description);
};

const changelog = parseChangelog(readFileSync(join(import.meta.dirname, '../../CHANGELOG.md'), 'utf8'));

export const readChangelog: Handles<Routes['readChangelog'], Services> = async () =>
  answer(200, { data: changelog, meta: {} });
