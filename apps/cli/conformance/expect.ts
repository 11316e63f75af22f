import assert from 'node:assert/strict';
import type { Answer, Json } from './client.ts';

/** Checks the status and returns the response's `data`. */
export function dataOf(answer: Answer, status = 200): Json {
  assert.equal(answer.status, status, `The status was ${answer.status}, not ${status}: ${answer.text.slice(0, 400)}`);
  return answer.body?.data;
}

/** Checks status, code and envelope of an error response, and returns its `error`. */
export function refusal(answer: Answer, status: number, code: string): Json {
  const { error } = answer.body ?? {};
  assert.deepEqual([answer.status, error?.code], [status, code], answer.text.slice(0, 400));
  assert.equal(error.status, status);
  assert.match(error.message, /\S/);
  assert.match(error.request_id, /^req_/);
  assert.ok(URL.canParse(error.docs_url), `docs_url is no address: ${error.docs_url}`);
  return error;
}

export const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
export const momentPattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
export const unknownId = '0195d3a0-0000-7000-8000-000000000000';
