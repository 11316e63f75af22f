import { type Route, refusalsOf, routes } from '@tributary/contract';
import { describe, expect, test } from 'vitest';
import { parseQuery } from './parse.ts';
import { Refusal } from './refusal.ts';

const declared: readonly Route[] = Object.values(routes);

describe('every route that is declared', () => {
  test.each(declared)('$id refuses a query parameter that it does not have', (route) => {
    const known = Object.keys(route.query?.shape ?? {});
    const mistyped = known[0] ? `${known[0]}x` : 'nothing_like_it';
    const refusal = refusalOf(() => parseQuery(route, { [mistyped]: '1' }));
    expect(refusal).toMatchObject({ code: 'invalid_parameter', fields: { field: mistyped } });
    expect(refusal.message).toContain(known[0] ?? 'It takes none.');
    expect(refusalsOf(route)).toContain('invalid_parameter');
  });
});

function refusalOf(work: () => unknown): Refusal {
  try {
    work();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error('It was not refused.');
}
