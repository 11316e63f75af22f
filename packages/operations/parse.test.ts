import { openapi, type Route, refusalsOf, routes } from '@tributary/contract';
import { limits } from '@tributary/vocabulary';
import { describe, expect, test } from 'vitest';
import { parseBody, parseQuery } from './parse.ts';
import { Refusal } from './refusal.ts';

interface RequestBody {
  readonly content: { readonly 'application/json'?: { readonly example: object } };
}

const declared: readonly Route[] = Object.values(routes);

describe('every declared route', () => {
  test.each(declared)('$id rejects an unknown query parameter', (route) => {
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
  const getExample = ({ path, method }: Route): object | undefined => {
    const operation = document.paths[path]?.[method.toLowerCase()] as { requestBody?: RequestBody } | undefined;
    return operation?.requestBody?.content['application/json']?.example;
  };
  test.each(declared.filter(getExample))('$id rejects it by name', (route) => {
    const body = Buffer.from(JSON.stringify({ ...getExample(route), nothing_like_it: 1 }));
    const { code, message } = refusalOf(() => parseBody(route, body, 'application/json'));
    expect(message).toMatch(/^Unknown field `nothing_like_it`\./);
    expect(refusalsOf(route)).toContain(code);
  });

  test.each(['constructor', '__proto__', 'toString'])(
    'createPaymentRefund rejects "%s" like any unknown field',
    (name) => {
      const body = Buffer.from(`{"${name}": {}}`);
      expect(refusalOf(() => parseBody(routes.createPaymentRefund, body, 'application/json'))).toMatchObject({
        code: 'validation_error',
        fields: { field: name },
      });
    },
  );

  test('a mistyped amount refunds nothing, and the error suggests the nearest field', () => {
    const body = Buffer.from(JSON.stringify({ amont: 5 }));
    expect(refusalOf(() => parseBody(routes.createPaymentRefund, body, 'application/json'))).toMatchObject({
      code: 'validation_error',
      message: 'Unknown field `amont`. Did you mean `amount`?',
      fields: { field: 'amont' },
    });
  });

  test('a mistyped field of an event is rejected, but open fields accept anything', () => {
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

describe('the limits of a list item', () => {
  const fields = Object.fromEntries(Array.from({ length: limits.item.fields + 1 }, (_, index) => [`k${index}`, 1]));
  const json = (value: object) => Buffer.from(JSON.stringify(value));
  const lists = [
    [
      'importCustomers',
      'rows',
      { email: 'ana@example.com', first_name: 'x'.repeat(200) },
      limits.customerImport.maxRows,
    ],
    ['importSpend', 'rows', { platform: 'meta_ads', level: 'campaign' }, limits.spend.maxRows],
    ['createLinkTokens', 'customers', { customer_key: 'customer-8812' }, limits.linkTokens.maxRows],
    ['createEvent', 'events', { event_name: 'x', properties: { note: 'x'.repeat(200) } }, limits.events.maxRows],
  ] as const;

  test.each(lists)('%s accepts the maximum number of %s', (id, list, row, most) => {
    const parsed = parseBody(routes[id], json({ [list]: Array(most).fill(row) }), 'application/json');
    expect((parsed as Record<string, unknown[]>)[list]).toHaveLength(most);
  });

  test.each(lists)('%s validates each of the %s separately', (id, list, row) => {
    const deep = { ...row, a: { a: { a: { a: { a: {} } } } } };
    const rows = [row, fields, deep, { ...row, email: 'x'.repeat(limits.item.bytes) }];
    const parsed = parseBody(routes[id], json({ [list]: rows }), 'application/json');
    const [valid, ...invalid] = (parsed as Record<string, unknown[]>)[list] ?? [];
    expect(JSON.stringify(valid)).not.toContain('must not');
    expect(invalid.map((item) => JSON.stringify(item))).toEqual([
      expect.stringContaining('must not contain an object with more than 100 fields'),
      expect.stringContaining('must not be nested more than 4 levels deep'),
      expect.stringContaining('must not be larger than 32 KiB'),
    ]);
  });

  test.each(declared.filter(({ body }) => body && body.contentType === undefined))(
    '$id rejects an object with more than 100 fields before parsing it',
    (route) => {
      const refusal = refusalOf(() => parseBody(route, json({ a: fields }), 'application/json'));
      expect(refusal).toMatchObject({ code: 'validation_error', fields: { field: 'a' } });
      expect(refusal.message).toBe('The field "a" must not contain an object with more than 100 fields.');
    },
  );
});

test('reports all faults of a body at once, the first in the message; a single fault has no list', () => {
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
