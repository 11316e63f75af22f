import { expect, test } from 'vitest';
import type { Shown } from './openapi/examples.ts';
import { look, operationsOf, schemasIn, type Tree } from './openapi.fixture.ts';
import { type OpenapiDocument, openapi } from './openapi.ts';
import type { Route } from './route.ts';
import { routes as apiRoutes, collectorRoutes } from './routes.ts';
import { words } from './words.ts';

/** What a reader of the reference finds. */
const routes = { ...apiRoutes, ...collectorRoutes };
const document = openapi({ baseUrl: 'https://tributary.example' });
const operations = operationsOf(document);

test('every field, parameter and named shape says what it means, and no word is too many', () => {
  const all = [...describable(document)];
  expect(all.length).toBeGreaterThan(2_500);
  expect(all.flatMap(({ at, description }) => (description ? [] : [at]))).toEqual([]);
  const texts = new Set(all.map(({ description }) => description));
  expect(Object.entries(words).flatMap(([name, text]) => (texts.has(text) ? [] : [name]))).toEqual([]);
});

test('every chapter is introduced, and what holds for all of them', () => {
  for (const { name, description } of document.tags)
    expect([name, description]).toEqual([name, expect.stringMatching(/\.$/)]);
  const named = [...(document.info.description as string).matchAll(/^## (.+)$/gm)].map(([, title]) => title);
  expect(named).toEqual([
    'Authentication',
    'Envelopes',
    'Paging',
    'Idempotency',
    'Limits',
    'Errors',
    'Versions',
    'Receiving webhooks',
  ]);
});

test.each(operations)('$at shows a request that is taken and an answer that may come', ({ operation }) => {
  const { body, params, query, answers } = (routes as Record<string, Route>)[operation.operationId] as Route;
  const shown = operation as unknown as Shown;
  const given = (place: string) => (shown.parameters ?? []).filter((one) => (one as { in?: string }).in === place);
  const inputOf = (place: string, isAll: boolean) =>
    Object.fromEntries(given(place).flatMap((one) => (one.required || isAll ? [[one.name, String(one.example)]] : [])));
  expect(params?.safeParse(inputOf('path', true)).success ?? true).toBe(true);
  // One route wants one of three parameters, whichever.
  const isQueryTaken = query?.safeParse(inputOf('query', false)).success ?? true;
  expect([isQueryTaken, operation.operationId]).toEqual([
    operation.operationId !== 'readJourneyByKey',
    operation.operationId,
  ]);
  for (const [type, { example }] of Object.entries(shown.requestBody?.content ?? {})) {
    if (type === 'text/csv') expect(String(example).split('\n').length).toBeGreaterThan(1);
    else expect(body?.schema.parse(example)).toBeDefined();
  }
  for (const [status, { schema }] of Object.entries(answers)) {
    const [content] = Object.values(shown.responses[status]?.content ?? {});
    if (content) expect(schema.parse(content.example)).toBeDefined();
    else expect(Number(status) === 204 || Number(status) >= 300).toBe(true);
  }
});

interface Described {
  readonly at: string;
  readonly description: string;
}

/** Everything that a reader may want explained, with what it says. A reference says what its shape says. */
function* describable(from: OpenapiDocument): Generator<Described> {
  const shapes = from.components.schemas ?? {};
  for (const [id, shape] of Object.entries(shapes)) {
    yield { at: id, description: (shape as { description?: string }).description ?? '' };
    yield* fieldsIn(shape, id);
  }
  for (const { at, operation } of operationsOf(from)) {
    for (const each of (operation.parameters ?? []) as { name: string; description?: string }[])
      yield { at: `${at} ${each.name}`, description: each.description ?? '' };
    for (const schema of schemasIn({ ...operation, parameters: [] })) yield* fieldsIn(schema, at);
  }
  for (const [name, webhook] of Object.entries(from.webhooks))
    for (const schema of schemasIn(webhook)) yield* fieldsIn(schema, name);

  function* fieldsIn(schema: object, at: string): Generator<Described> {
    const { properties = {}, ...rest } = schema as { properties?: Record<string, Tree> };
    for (const [name, field] of Object.entries(properties)) {
      const alternatives = [field, ...((field.anyOf ?? []) as unknown as Tree[])].map((one) => look(from, one));
      const description = alternatives.map((one) => one.description as unknown as string).find(Boolean) ?? '';
      yield { at: `${at}.${name}`, description };
      yield* fieldsIn(field, `${at}.${name}`);
    }
    for (const inner of Object.values(rest)) {
      for (const one of Array.isArray(inner) ? inner : [inner])
        if (one !== null && typeof one === 'object') yield* fieldsIn(one, at);
    }
  }
}
