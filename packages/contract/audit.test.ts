import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Audited, Route } from './route.ts';
import { routes } from './routes.ts';

const all: readonly Route[] = Object.values(routes);
const changing = all.filter(({ method }) => method !== 'GET');
const audited = changing.flatMap(({ audit, ...route }) =>
  typeof audit === 'object' ? [{ ...route, audit } as Route & { audit: Audited }] : [],
);

test('each changing route declares its audit entry, or why it has none', () => {
  const silent = changing.filter(({ audit }) =>
    typeof audit === 'object' ? !/^[a-z_]+\.[a-z_]+$/.test(audit.action) : !/^not needed: .{20,}/.test(audit ?? ''),
  );
  expect(silent.map(({ id }) => id)).toEqual([]);
  expect(audited.length).toBeGreaterThan(20);
});

test('changes of access and of all numbers are audited', () => {
  const must =
    /^(create|update|delete)(Workspace|Profile|Entitlement|Grant|Key|Member|Invitation|Password|Assistant|Goal)/;
  const ids = audited.map(({ id }) => id);
  expect(changing.filter(({ id }) => must.test(id) && !ids.includes(id)).map(({ id }) => id)).toEqual([]);
  expect(ids).toEqual(expect.arrayContaining(['signIn', 'signOut', 'acceptInvitation', 'createErasure']));
});

describe.each(audited.map((route) => [route.id, route] as const))('%s', (_id, route) => {
  const { of, unchanged } = route.audit;
  const [, kind, from, field = ''] = /^(\w+):\{(\w+)\.(\w+)\}$/.exec(of) ?? [];

  test('names its subject by an existing id', () => {
    expect(kind).toMatch(/^[a-z_]+$/);
    expect(idsAt(from ?? '', route)).not.toEqual([]);
    for (const fields of idsAt(from ?? '', route)) expect(fields).toContain(field);
  });

  test('omits the entry only for a declared answer that is not the only one', () => {
    const statuses = Object.keys(route.answers).map(Number);
    if (typeof unchanged === 'object' && 'where' in unchanged)
      return expect(fieldsOfData(route)[unchanged.where]).toBeInstanceOf(z.ZodBoolean);
    if (typeof unchanged === 'object')
      return expect(getOutcomes(route).isSupersetOf(new Set(unchanged.outcome))).toBe(true);
    if (unchanged !== undefined) expect(statuses).toContain(unchanged);
    expect(statuses.filter((status) => status !== unchanged).length).toBeGreaterThan(0);
  });
});

/** The fields of `data` in the answers. */
function fieldsOfData({ answers }: Route): Readonly<Record<string, unknown>> {
  const [schema] = Object.values(answers).map((one) => one.schema);
  const data = schema instanceof z.ZodObject ? schema.shape.data : undefined;
  return data instanceof z.ZodObject ? data.shape : {};
}

/** The possible values of `data.outcome`. */
function getOutcomes({ answers }: Route): Set<unknown> {
  const [schema] = Object.values(answers).map((one) => one.schema);
  const data = schema instanceof z.ZodObject ? schema.shape.data : undefined;
  const outcome = data instanceof z.ZodObject ? data.shape.outcome : undefined;
  return new Set(outcome instanceof z.ZodEnum ? outcome.options : []);
}

/** The field names at a location, one list per answer if the location is the answer. */
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
