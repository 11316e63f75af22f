import { openapi, type Route, refusalsOf, routes } from '@tributary/contract';
import { describe, expect, test } from 'vitest';
import { parseBody, parseQuery } from './parse.ts';
import { Refusal } from './refusal.ts';

interface RequestBody {
  readonly content: { readonly 'application/json'?: { readonly example: object } };
}

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

describe('an unknown field of a JSON body', () => {
  const document = openapi({ baseUrl: 'https://tributary.example' });
  const exampleOf = ({ path, method }: Route): object | undefined => {
    const operation = document.paths[path]?.[method.toLowerCase()] as { requestBody?: RequestBody } | undefined;
    return operation?.requestBody?.content['application/json']?.example;
  };
  test.each(declared.filter(exampleOf))('$id refuses it, and names it', (route) => {
    const body = Buffer.from(JSON.stringify({ ...exampleOf(route), nothing_like_it: 1 }));
    const { code, message } = refusalOf(() => parseBody(route, body, 'application/json'));
    expect(message).toMatch(/^Unknown field `nothing_like_it`\./);
    expect(refusalsOf(route)).toContain(code);
  });

  test.each(['constructor', '__proto__', 'toString'])('createPaymentRefund refuses "%s" like any other', (name) => {
    const body = Buffer.from(`{"${name}": {}}`);
    expect(refusalOf(() => parseBody(routes.createPaymentRefund, body, 'application/json'))).toMatchObject({
      code: 'validation_error',
      fields: { field: name },
    });
  });

  test('a mistyped amount refunds nothing, and the nearest field is named', () => {
    const body = Buffer.from(JSON.stringify({ amont: 5 }));
    expect(refusalOf(() => parseBody(routes.createPaymentRefund, body, 'application/json'))).toMatchObject({
      code: 'validation_error',
      message: 'Unknown field `amont`. Did you mean `amount`?',
      fields: { field: 'amont' },
    });
  });

  test('a mistyped field of one event is refused, and what its open fields hold is not', () => {
    const parse = (event: object) =>
      parseBody(
        routes.createEvent,
        Buffer.from(JSON.stringify({ event_name: 'signup', ...event })),
        'application/json',
      );
    expect(refusalOf(() => parse({ propertes: { value: 5 } })).message).toBe(
      'Unknown field `propertes`. Did you mean `properties`?',
    );
    expect(parse({ properties: { plan: 'pro' }, user_traits: { team: 'a' }, click_ids: { other: 'x' } })).toMatchObject(
      { properties: { plan: 'pro' } },
    );
  });
});

test('all that is wrong with a body is told at once, the first in the message; of one fault there is no list', () => {
  const body = (sent: object) =>
    refusalOf(() => parseBody(routes.createGoalDefinition, Buffer.from(JSON.stringify(sent)), 'application/json'));
  const several = body({ name: '', event_names: [], is_default: 'yes' });
  expect(several).toMatchObject({ code: 'validation_error', message: 'The field "name" must not be empty.' });
  expect(several.fields).toEqual({
    field: 'name',
    faults: [
      { field: 'name', message: 'must not be empty' },
      { field: 'event_names', message: 'must name at least one event' },
      { field: 'is_default', message: 'must be true or false' },
    ],
  });
  expect(body({ name: '' }).fields).toEqual({ field: 'name' });
  expect(body({ name: 1, event_names: Array.from({ length: 90 }, () => 1) }).fields).toHaveProperty(
    'faults.length',
    20,
  );
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
