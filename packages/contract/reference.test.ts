import { expect, test } from 'vitest';
import { words } from './descriptions.ts';
import type { Shown } from './openapi/examples.ts';
import { operationsOf, resolveRef, schemasIn, type Tree } from './openapi.fixture.ts';
import { type OpenapiDocument, openapi } from './openapi.ts';
import type { Route } from './route.ts';
import { routes as apiRoutes, collectorRoutes } from './routes.ts';

/** The complete reference: API and collector. */
const routes = { ...apiRoutes, ...collectorRoutes };
const document = openapi({ baseUrl: 'https://tributary.example' });
const operations = operationsOf(document);

test('every field, parameter and named shape has a description, and no description is unused', () => {
  const all = [...describable(document)];
  expect(all.length).toBeGreaterThan(2_500);
  expect(all.flatMap(({ at, description }) => (description ? [] : [at]))).toEqual([]);
  const texts = new Set(all.map(({ description }) => description));
  expect(Object.entries(words).flatMap(([name, text]) => (texts.has(text) ? [] : [name]))).toEqual([]);
});

test('every chapter and the introduction have a description', () => {
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

test.each(operations)('$at has a valid example request and example response', ({ operation }) => {
  const { body, params, query, answers } = (routes as Record<string, Route>)[operation.operationId] as Route;
  const shown = operation as unknown as Shown;
  const getParameters = (place: string) =>
    (shown.parameters ?? []).filter((one) => (one as { in?: string }).in === place);
  const inputOf = (place: string, isAll: boolean) =>
    Object.fromEntries(
      getParameters(place).flatMap((one) => (one.required || isAll ? [[one.name, String(one.example)]] : [])),
    );
  expect(params?.safeParse(inputOf('path', true)).success ?? true).toBe(true);
  // One route requires any one of three parameters.
  const isQueryValid = query?.safeParse(inputOf('query', false)).success ?? true;
  expect([isQueryValid, operation.operationId]).toEqual([
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

/** Everything that needs a description, with its description. A reference uses that of its shape. */
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
      const alternatives = [field, ...((field.anyOf ?? []) as unknown as Tree[])].map((one) => resolveRef(from, one));
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
