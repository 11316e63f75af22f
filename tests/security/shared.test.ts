import { tools } from '@tributary/api/mcp/tools.ts';
import { type Route, routes } from '@tributary/contract';
import { sharedOperations } from '@tributary/domain/tenancy/credentials/module.ts';
import { buildMember, openTestWithClickHouse } from '@tributary/testkit';
import { dayMs, type SharedPage, sharedPages } from '@tributary/vocabulary';
import { beforeAll, describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { openAds } from '../../domain/measurement/top-performers/top-performers.fixture.ts';

/**
 * Spend and revenue before the dates of a link have a unique value. The test requests each route of each link with every parameter, and with
 * some unknown ones. No response may contain the value.
 */
const world = await openTestWithClickHouse();
const { kit, api } = world;
kit.clock.set(new Date('2026-06-11T12:00:00Z'));
const inside = { date_from: '2026-06-08', date_to: '2026-06-10' };
const outside = { date_from: '2026-05-01', date_to: '2026-06-10' };
/** The value alone, or summed with the 100 of the days inside. */
const canary = /77[78]7777/;

const film = { external_id: 'film', campaign_external_id: 'winter', ad_set_external_id: 'broad' };

let shop: Awaited<ReturnType<typeof openAds>>;
const links = new Map<SharedPage, string>();
beforeAll(async () => {
  shop = await openAds(world);
  await shop.tell({ ...film }, { ...film, date: '2026-05-01', spend: '77777.77', clicks: 7_777_777 });
  await shop.earn('film');
  const before = { properties: { value: '77777.77', currency: 'USD' }, occurred_at: '2026-05-01T10:00:00.000Z' };
  await shop.earn('film', before);
  await shop.settle();
  await shop.rebuild();
  const owner = await buildMember(kit.app, shop.workspaceId, 'owner');
  const headers = { ...owner.headers({ profileId: shop.profileId }), origin: 'https://tributary.test' };
  for (const page of sharedPages) {
    // `date_to` of a link to the best ads is the last day on which the link works.
    const date_to =
      page === 'top-ads' ? new Date(kit.clock.now().getTime() + dayMs).toISOString().slice(0, 10) : inside.date_to;
    const date_from = page === 'top-ads' ? '2026-06-01' : inside.date_from;
    const payload = { name: page, page, date_from, date_to };
    const made = await api.call({ method: 'POST', url: '/api/v1/shared-views', headers, payload });
    links.set(page, `Bearer ${made.json().data.url.split('#')[1]}`);
  }
});

const all = routes as Readonly<Record<string, Route>>;
/** Each operation once, with a page that includes it. */
const operations = [...new Map(sharedPages.flatMap((page) => sharedOperations[page].map((id) => [id, page] as const)))];

async function read(page: SharedPage, path: string, query: string) {
  const headers = { authorization: links.get(page) ?? '' };
  return api.call({ method: 'GET', url: `${path.replace('{id}', shop.idOf('film'))}?${query}`, headers });
}

/** Query strings that an attacker would try in order to read other days. */
const attackQueries = [
  'month=2026-05',
  'from=2026-05-01&to=2026-05-31',
  'compare_from=2026-05-01',
  'DATE_FROM=2026-05-01',
  'date_from=2026-05-01',
  'date_from[]=2026-05-01',
  'date_to=2026-05-01',
];

/** Some values for each parameter of the route. */
function valuesOf({ query }: Route): string[] {
  const days = ['2026-05-01', '2026-06-11'];
  return Object.entries<z.ZodType>(query?.shape ?? {}).flatMap(([name, schema]) => {
    if (name in inside) return [];
    const { enum: words = [], items } = schema.toJSONSchema({ unrepresentable: 'any', io: 'input' }) as {
      enum?: string[];
      items?: { enum?: string[] };
    };
    const values = [...words, ...(items?.enum ?? []), ...days, '1', 'true', 'lifetime', shop.idOf('film')];
    return values.map((value) => `${name}=${encodeURIComponent(value)}`);
  });
}

describe('a link shows only its own days', () => {
  test.each(operations)('%s', async (id, page) => {
    const route = all[id] as Route;
    const needed = 'entity_ids' in (route.query?.shape ?? {}) ? { entity_ids: shop.idOf('film'), level: 'ad' } : {};
    const isByRange = route.reveals?.days === 'requested';
    const own = new URLSearchParams({ ...(isByRange && inside), ...needed }).toString();
    const before = new URLSearchParams({ ...outside, ...needed }).toString();
    const queries = [own, ...[...valuesOf(route), ...attackQueries].map((more) => (own ? `${own}&${more}` : more))];
    const statuses: number[] = [];
    for (const query of queries) {
      const { statusCode, body } = await read(page, route.path, query);
      expect([query, canary.test(body.replaceAll(/[.,]/g, '')) && statusCode]).toEqual([query, false]);
      statuses.push(statusCode);
    }
    // The request for its own days succeeds, so the others were not rejected for a different reason.
    if (id !== 'readCreativePicture') expect(statuses).toContain(200);
    if (!isByRange) return;
    const refused = await read(page, route.path, before);
    expect([refused.statusCode, refused.json().error.reason]).toEqual([403, 'link']);
    // An API key of the profile sees the value if the route shows costs.
    const { body } = await shop.ask(`${route.path.replace('{id}', shop.idOf('film'))}?${before}`);
    if (route.reveals?.costs) expect(JSON.stringify(body).replaceAll(/[.,]/g, '')).toMatch(canary);
  });
});

describe('a link cannot read operations of other pages', () => {
  const reads = Object.values(all).filter(({ method, id }) => method === 'GET' && id !== 'readSharedView');
  test.each(sharedPages)('%s', async (page) => {
    const listed = new Set<string>(sharedOperations[page]);
    for (const { id, path, access } of reads.filter(
      (one) => !listed.has(one.id) && !one.access.credentials.includes('public'),
    )) {
      const { statusCode } = await read(
        page,
        path.replaceAll(/\{(?!id\})\w+\}/g, 'x'),
        new URLSearchParams(inside).toString(),
      );
      expect([id, access.credentials.includes('shared_link') ? 403 : statusCode]).toEqual([id, 403]);
    }
  });
});

test('a route without `reveals` is neither a tool nor readable through a link', () => {
  for (const { route } of tools) expect([route.id, route.reveals]).toEqual([route.id, expect.any(Object)]);
  for (const [id] of operations) expect([id, all[id]?.reveals?.people]).toEqual([id, 'none']);
});

test('the customer export requires access to personal data', () => {
  const files = Object.values(all).filter(({ id }) => /export$/i.test(id) && /Customer/.test(id));
  expect(files.map(({ id, access, reveals }) => [id, access.grain, reveals?.people])).toEqual([
    ['readCustomerExport', 'person', 'named'],
  ]);
});
