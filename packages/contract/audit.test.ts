import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Audited, Route } from './route.ts';
import { routes } from './routes.ts';

const all: readonly Route[] = Object.values(routes);
const changing = all.filter(({ method }) => method !== 'GET');
const audited = changing.flatMap(({ audit, ...route }) =>
  typeof audit === 'object' ? [{ ...route, audit } as Route & { audit: Audited }] : [],
);

test('each route that may change something says what it leaves in the audit log, or why nothing', () => {
  const silent = changing.filter(({ audit }) =>
    typeof audit === 'object' ? !/^[a-z_]+\.[a-z_]+$/.test(audit.action) : !/^not needed: .{20,}/.test(audit ?? ''),
  );
  expect(silent.map(({ id }) => id)).toEqual([]);
  expect(audited.length).toBeGreaterThan(20);
});

test('what sets up or takes away access, and what moves every number, is audited', () => {
  const must =
    /^(create|update|delete)(Workspace|Profile|Entitlement|Grant|Key|Member|Invitation|Password|Assistant|Goal)/;
  const ids = audited.map(({ id }) => id);
  expect(changing.filter(({ id }) => must.test(id) && !ids.includes(id)).map(({ id }) => id)).toEqual([]);
  expect(ids).toEqual(expect.arrayContaining(['signIn', 'signOut', 'acceptInvitation', 'createErasure']));
});

describe.each(audited.map((route) => [route.id, route] as const))('%s', (_id, route) => {
  const { of, unchanged } = route.audit;
  const [, kind, from, field = ''] = /^(\w+):\{(\w+)\.(\w+)\}$/.exec(of) ?? [];

  test('names its subject by an id that is there', () => {
    expect(kind).toMatch(/^[a-z_]+$/);
    expect(idsAt(from ?? '', route)).not.toEqual([]);
    for (const fields of idsAt(from ?? '', route)) expect(fields).toContain(field);
  });

  test('leaves no entry only for an answer that it declares beside another', () => {
    const statuses = Object.keys(route.answers).map(Number);
    if (typeof unchanged === 'object' && 'where' in unchanged)
      return expect(fieldsOfData(route)[unchanged.where]).toBeInstanceOf(z.ZodBoolean);
    if (typeof unchanged === 'object')
      return expect(wordsOfOutcome(route).isSupersetOf(new Set(unchanged.outcome))).toBe(true);
    if (unchanged !== undefined) expect(statuses).toContain(unchanged);
    expect(statuses.filter((status) => status !== unchanged).length).toBeGreaterThan(0);
  });
});

/** The fields of `data` of an answer. */
function fieldsOfData({ answers }: Route): Readonly<Record<string, unknown>> {
  const [schema] = Object.values(answers).map((one) => one.schema);
  const data = schema instanceof z.ZodObject ? schema.shape.data : undefined;
  return data instanceof z.ZodObject ? data.shape : {};
}

/** What `data.outcome` of an answer may say. */
function wordsOfOutcome({ answers }: Route): Set<unknown> {
  const [schema] = Object.values(answers).map((one) => one.schema);
  const data = schema instanceof z.ZodObject ? schema.shape.data : undefined;
  const outcome = data instanceof z.ZodObject ? data.shape.outcome : undefined;
  return new Set(outcome instanceof z.ZodEnum ? outcome.options : []);
}

/** The names that stand at a place, once for each answer where that is the answer. */
function idsAt(from: string, { params, answers, audit }: Route & { audit: Audited }): string[][] {
  if (from === 'params') return [Object.keys(params?.shape ?? {})];
  if (from === 'caller') return [['userId', 'profileId', 'workspaceId']];
  return Object.entries(answers)
    .filter(([status]) => Number(status) !== audit.unchanged)
    .map(([, { schema }]) => {
      const data = schema instanceof z.ZodObject ? schema.shape.data : undefined;
      return data instanceof z.ZodObject ? Object.keys(data.shape) : [];
    });
}
