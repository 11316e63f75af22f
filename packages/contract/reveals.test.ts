import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import type { Route } from './route.ts';
import { assistantRoutes, routes } from './routes.ts';

const declared: Route[] = [...Object.values<Route>(routes), ...Object.values<Route>(assistantRoutes)];
const cases = (wanted: (route: Route) => boolean) => declared.filter(wanted).map((one) => [one.id, one] as const);
const takes = ({ access }: Route, kind: 'mcp' | 'shared_link') => access.credentials.includes(kind);

/** Names of all fields in an answer, at any depth. */
function fieldsOf({ answers }: Route): string[] {
  const names = new Set<string>();
  const walk = (node: unknown): void => {
    if (node === null || typeof node !== 'object') return;
    const { properties } = node as { properties?: object };
    for (const name of Object.keys(properties ?? {})) names.add(name);
    for (const inside of Object.values(node)) walk(inside);
  };
  for (const { schema } of Object.values(answers)) walk(schema.toJSONSchema({ unrepresentable: 'any', io: 'output' }));
  return [...names];
}

const isRequired = (query: z.ZodObject | undefined, name: string) =>
  query?.shape[name] !== undefined && !query.shape[name].safeParse(undefined).success;

/** Fields that contain a customer's key or id. */
const keys = /^(?:customer_key|customer_profile_id|customer_id|payer)$/;
const naming = /^(?:first_name|last_name|full_name|phone|national_id|tax_id|postal_code|street)$/;
const costs = /(?:^|_)(?:spend|costs?|n?cac|cp[acml]|roas|mer|budgets?)(?:_|$)/;

test.each(cases((route) => takes(route, 'shared_link') || (route.method === 'GET' && takes(route, 'mcp'))))(
  '%s can be read by a link or an assistant and declares `reveals`',
  (_, { reveals }) => expect(reveals).toBeDefined(),
);

describe('the declared `reveals` match the response schema', () => {
  test.each(cases(({ reveals }) => reveals !== undefined))('%s', (_, route) => {
    const { reveals, access, query } = route;
    const fields = fieldsOf(route);
    // Routes with the grain `person` pass the personal-data gate.
    expect(reveals?.people === 'named').toBe(access.grain === 'person');
    if (reveals?.people !== 'named') expect(fields.filter((name) => naming.test(name))).toEqual([]);
    if (reveals?.people === 'none') expect(fields.filter((name) => keys.test(name))).toEqual([]);
    if (!reveals?.costs) expect(fields.filter((name) => costs.test(name))).toEqual([]);
    const isByRange = isRequired(query, 'date_from') && isRequired(query, 'date_to');
    expect(reveals?.days === 'requested').toBe(isByRange);
    if (reveals?.days === 'answered') expect(fields).toEqual(expect.arrayContaining(['date_from', 'date_to']));
  });
});

/** Date-like parameters that cannot select days outside the link's range, with the reason. */
const otherDays: Readonly<Record<string, string>> = {
  as_of: 'the same days, as of another day',
  window: 'the server chooses the days and returns them in `meta`',
};
const dayName = /date|day|month|week|year|window|as_of|since|until|from|to|period|compare|at$/;

describe('no other parameter of a shared route selects days', () => {
  test.each(cases((route) => takes(route, 'shared_link')))('%s', (_, { query, reveals, method }) => {
    expect([method, reveals?.people, reveals?.days === 'any']).toEqual(['GET', 'none', false]);
    const names = Object.keys(query?.shape ?? {}).filter((name) => dayName.test(name));
    const allowed = ['date_from', 'date_to', ...Object.keys(otherDays)];
    expect(names.filter((name) => !allowed.includes(name) && !/^(?:platform|model)$/.test(name))).toEqual([]);
  });
});
