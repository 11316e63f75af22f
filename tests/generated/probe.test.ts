import { anyOf, data, type Route, route, routes } from '@tributary/contract';
import { answer, refuse } from '@tributary/operations';
import { createPostgres } from '@tributary/postgres';
import {
  idBuilders,
  openApi,
  openTestkit,
  openWarehouse,
  probeCredentials,
  serve,
  served,
  type TestApi,
  type Testkit,
} from '@tributary/testkit';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { Probe } from './probe.ts';
import { provenElsewhere } from './proven-elsewhere.ts';

let kit: Testkit;
let api: TestApi;
let probe: Probe;
let warehouse: Awaited<ReturnType<typeof openWarehouse>>;
beforeAll(async () => {
  kit = await openTestkit();
  warehouse = await openWarehouse(kit);
  api = await openApi(kit);
  probe = await Probe.open(kit, api);
});
afterAll(async () => {
  await api.close();
  await warehouse.drop();
  await kit.close();
});

const declared = Object.values<Route>(routes);

describe('a foreign id gets the same response as an unknown id:', () => {
  test.each(declared.map((one) => [one.id, one] as const))('%s', async (_, one) => {
    expect(await probe.route(one)).toEqual({ leaks: [], unproven: provenElsewhere[one.id] ?? [] });
  });
});

test.each(declared.map((one) => [one.id, one] as const))('%s declares the kind of each id', (_, one) => {
  const isId = (schema: z.ZodType) =>
    (schema.toJSONSchema({ unrepresentable: 'any', io: 'input' }) as { format?: string }).format === 'uuid';
  const inAddress = Object.entries<z.ZodType>({ ...one.params?.shape, ...one.query?.shape });
  const ids = inAddress.filter(([name, schema]) => name !== 'cursor' && isId(schema)).map(([name]) => name);
  expect(ids.filter((name) => !(name in (one.ids ?? {})))).toEqual([]);
});

// Kinds of ids that cannot be probed yet are listed in every run.
for (const [kind, { notYet }] of Object.entries(idBuilders))
  if (notYet) test.todo(`ids of the kind ${kind}, once there is a table ${notYet}`);
for (const [name, { isIssued }] of Object.entries(probeCredentials))
  if (!isIssued) test.todo(`requests with the credential ${name}`);

describe('the probe', () => {
  const common = {
    id: 'leaky',
    method: 'GET',
    path: '/api/v1/leaky/{id}',
    summary: 'Leaky',
    chapter: 'Test',
    access: { credentials: ['api_key'], scopes: anyOf('attribution:write'), grain: 'profile' },
    params: z.object({ id: z.uuid() }),
    ids: { id: 'profile' },
    refusals: ['forbidden'],
    answers: { 200: { schema: data(z.strictObject({ name: z.string() })) } },
  } as const satisfies Route;
  const leaky = route(common);

  /** Reads as the owner of the schema, to whom row-level security does not apply. */
  async function nameOf(id: string): Promise<string | undefined> {
    const owner = createPostgres({ url: kit.database.ownerUrl, poolSize: 1 });
    const { rows } = await owner.unbound.query(sql<{ name: string }>`SELECT name FROM profiles WHERE id = ${id}`);
    await owner.close();
    return rows[0]?.name;
  }

  async function runProbe(
    handler: (id: string, own: string | undefined) => Promise<{ status: 200; body: { data: { name: string } } }>,
  ) {
    const server = await serve(kit, [served(leaky, ({ params }, { caller }) => handler(params.id, caller.profileId))]);
    try {
      return await (await Probe.open(kit, server)).route(leaky);
    } finally {
      await server.close();
    }
  }
  const none = () => refuse('not_found', 'There is no such profile.');

  test('reports nothing for a route without leaks', async () => {
    const handler = async (id: string, own: string | undefined) =>
      id === own ? answer(200, { data: { name: 'mine' } }) : none();
    expect(await runProbe(handler)).toEqual({ leaks: [], unproven: [] });
  });

  test('reports a leak by the status', async () => {
    const { leaks } = await runProbe(async (id, own) => {
      const name = await nameOf(id);
      if (name === undefined) none();
      return id === own ? answer(200, { data: { name: 'mine' } }) : refuse('forbidden', 'This is not yours.');
    });
    expect(leaks).toHaveLength(2);
    expect(leaks[0]).toMatch(/id as api_key: a stranger's id differs from an unknown one: 403/);
  });

  test('reports a leak by the error message alone', async () => {
    const { leaks } = await runProbe(async (id, own) =>
      id === own
        ? answer(200, { data: { name: 'mine' } })
        : refuse('not_found', (await nameOf(id)) ? 'It is not yours.' : 'It is none of yours.'),
    );
    expect(leaks).toHaveLength(2);
  });

  test('reports a foreign name in the response, even if unknown ids also get a name', async () => {
    const { leaks } = await runProbe(async (id) =>
      answer(200, { data: { name: (await nameOf(id)) ?? `Profile mark-${'0'.repeat(12)}` } }),
    );
    expect(leaks.join()).toMatch(/a stranger's mark-[0-9a-f]{12} is shown/);
  });

  test('reports changed rows of another tenant, whatever the response', async () => {
    const { leaks } = await runProbe(async (id, own) => {
      if (id === own) return answer(200, { data: { name: 'mine' } });
      await kit.app.forProfile(id).transaction((tx) => tx.updateTable('profiles').set({ name: 'gone' }).execute());
      return none();
    });
    expect(leaks).toEqual(["a stranger's rows were changed"]);
  });

  test('reports ids as unproven if the owner gets the same response as others', async () => {
    expect(await runProbe(async () => none())).toEqual({ leaks: [], unproven: ['id'] });
  });
});
