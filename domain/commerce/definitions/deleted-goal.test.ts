import { spreadDefinition } from '@tributary/domain/commerce/outcomes/module.ts';
import { openTestWithClickHouse, scene } from '@tributary/testkit';
import { expect, test } from 'vitest';

const world = await openTestWithClickHouse();

test('reports exclude past conversions of a deleted definition, and include them once another lists the event', async () => {
  const shop = await scene(world, { scopes: ['goals:write', 'campaigns:read', 'attribution:write'] });
  const save = async () => {
    const body = { name: 'Deposit', event_names: ['deposit'], counts_as_cash: true };
    return (await shop.call('POST', '/api/v1/goals/definitions', body)).json().data.id as string;
  };
  const readRevenue = async () => {
    const { signal } = new AbortController();
    await spreadDefinition(world.kit.app, { profileId: shop.profileId, eventKeys: ['deposit'] }, signal);
    await shop.settle();
    const range = 'date_from=2026-05-01&date_to=2026-06-30';
    return (await shop.ask(`/api/v1/overview?${range}`)).body.data.totals.outcome_value;
  };
  const id = await save();
  await shop.send({
    event_name: 'deposit',
    occurred_at: '2026-05-10T12:00:00Z',
    properties: { value: '80.00', currency: 'USD' },
  });
  expect(await readRevenue()).toBe(80);
  expect((await shop.call('DELETE', `/api/v1/goals/definitions/${id}`)).statusCode).toBe(200);
  expect(await readRevenue()).toBe(0);
  await save();
  expect(await readRevenue()).toBe(80);
});
