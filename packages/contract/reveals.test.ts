import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import type { Route } from './route.ts';
import { assistantRoutes, routes } from './routes.ts';

const declared: Route[] = [...Object.values<Route>(routes), ...Object.values<Route>(assistantRoutes)];
const cases = (wanted: (route: Route) => boolean) => declared.filter(wanted).map((one) => [one.id, one] as const);
const takes = ({ access }: Route, kind: 'mcp' | 'shared_link') => access.credentials.includes(kind);

/** Names of all fields that an answer may have, at any depth. */
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

/** What customers are called by those who gave us the key, and by us. */
const keys = /^(?:customer_key|customer_profile_id|customer_id|payer)$/;
const naming = /^(?:first_name|last_name|full_name|phone|national_id|tax_id|postal_code|street)$/;
const costs = /(?:^|_)(?:spend|costs?|n?cac|cp[acml]|roas|mer|budgets?)(?:_|$)/;

test.each(cases((route) => takes(route, 'shared_link') || (route.method === 'GET' && takes(route, 'mcp'))))(
  '%s, which a link or an assistant may read, declares what it reveals',
  (_, { reveals }) => expect(reveals).toBeDefined(),
);

describe('what a route declares to reveal is what its answer has', () => {
  test.each(cases(({ reveals }) => reveals !== undefined))('%s', (_, route) => {
    const { reveals, access, query } = route;
    const fields = fieldsOf(route);
    // Whatever names people is of their grain, and passes their gate.
    expect(reveals?.people === 'named').toBe(access.grain === 'person');
    if (reveals?.people !== 'named') expect(fields.filter((name) => naming.test(name))).toEqual([]);
    if (reveals?.people === 'none') expect(fields.filter((name) => keys.test(name))).toEqual([]);
    if (!reveals?.costs) expect(fields.filter((name) => costs.test(name))).toEqual([]);
    const isByRange = isRequired(query, 'date_from') && isRequired(query, 'date_to');
    expect(reveals?.days === 'requested').toBe(isByRange);
    if (reveals?.days === 'answered') expect(fields).toEqual(expect.arrayContaining(['date_from', 'date_to']));
  });
});

/** A day by another name chooses what is shown past the days of the link, or it is told here why it does not. */
const otherDays: Readonly<Record<string, string>> = {
  as_of: 'the same days, as they stood on another one',
  window: 'chosen by the server, which names its days in the answer',
};
const dayName = /date|day|month|week|year|window|as_of|since|until|from|to|period|compare|at$/;

describe('a link can choose its days by no other parameter', () => {
  test.each(cases((route) => takes(route, 'shared_link')))('%s', (_, { query, reveals, method }) => {
    expect([method, reveals?.people, reveals?.days === 'any']).toEqual(['GET', 'none', false]);
    const names = Object.keys(query?.shape ?? {}).filter((name) => dayName.test(name));
    const known = ['date_from', 'date_to', ...Object.keys(otherDays)];
    expect(names.filter((name) => !known.includes(name) && !/^(?:platform|model)$/.test(name))).toEqual([]);
  });
});
