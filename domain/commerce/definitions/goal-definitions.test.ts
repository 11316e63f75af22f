import { spreadDefinition } from '@tributary/domain/commerce/outcomes/module.ts';
import { firstPayments } from '@tributary/domain/commerce/payments/module.ts';
import {
  auditEntries,
  type EventSender,
  openEventSender,
  openTest,
  paymentEvent,
  processQueue,
} from '@tributary/testkit';
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';

const { kit, api } = await openTest();
let sender: EventSender;
beforeEach(async () => {
  sender = await openEventSender(kit, api);
});

describe('goal definitions', () => {
  const goal = (body: object) => sender.send('/api/v1/goals/definitions', body);

  test('[inge-005] [inge-006] a definition that counts as cash turns its events into payments', async () => {
    await sender.post({ ...paymentEvent({ key: 'x' }), event_name: 'Caja: Abono' });
    expect(await sender.flags()).toEqual({ x: null });
    expect((await goal({ name: 'Abono', event_names: ['caja: abono'], counts_as_cash: true })).status).toBe(201);
    await sender.post({ ...paymentEvent({ key: 'y', day: 2 }), event_name: 'Caja: Abono' });
    const { signal } = new AbortController();
    await spreadDefinition(kit.app, { profileId: sender.profileId, eventKeys: ['caja: abono'] }, signal);
    await processQueue(kit.system, 'firstPayments', firstPayments(kit.app));
    expect(await sender.flags()).toEqual({ x: true, y: true });
  });

  const visit = {
    name: 'Visita',
    conversion_key: 'visit_done',
    lookback_window_days: 30,
    is_default: true,
    event_names: ['visit done'],
  };

  test('[ver-010] [ver-012] [ver-013] creates a definition with the given key and lookback', async () => {
    const { status, body } = await goal(visit);
    expect([status, body.data]).toEqual([
      201,
      expect.objectContaining({ conversion_key: 'visit_done', lookback_window_days: 30, is_default: true }),
    ]);
  });

  test('[ver-011] updates a definition by its key', async () => {
    const created = await goal(visit);
    const updated = await goal({ ...visit, lookback_window_days: 60 });
    expect([updated.status, updated.body.data]).toEqual([
      200,
      expect.objectContaining({ id: created.body.data.id, lookback_window_days: 60 }),
    ]);
  });

  test('a changed lookback triggers a recompute of its outcomes, a changed name does not', async () => {
    const jobs = async () =>
      (
        await kit.owner.unbound.query(
          sql`SELECT data FROM pgboss.job WHERE name = 'spread-definition' AND data->>'profileId' = ${sender.profileId}`,
        )
      ).rows;
    const { id: definitionId } = (await goal(visit)).body.data;
    const spread = { data: { profileId: sender.profileId, eventKeys: ['visit done'], definitionId } };
    await goal({ ...visit, name: 'Visita hecha' });
    expect(await jobs()).toEqual([spread]);
    await goal({ ...visit, lookback_window_days: 60 });
    expect(await jobs()).toEqual([spread, spread]);
  });

  test('[ver-014] exactly one definition is the default: the last one entry as default', async () => {
    await goal(visit);
    const list = (await sender.get('/api/v1/goals/definitions')).data as {
      conversion_key: string;
      is_default: boolean;
    }[];
    expect(list.filter(({ is_default }) => is_default).map(({ conversion_key }) => conversion_key)).toEqual([
      'visit_done',
    ]);
    expect(list.map(({ conversion_key }) => conversion_key)).toEqual(
      expect.arrayContaining(['lead_created', 'payment_received', 'order_placed']),
    );
    // Omitted fields keep their values.
    const { is_default: _omitted, ...changed } = { ...visit, name: 'Visita hecha' };
    expect((await goal(changed)).body.data).toMatchObject({ name: 'Visita hecha', is_default: true });
  });

  test('concurrent requests for the same definition create one', async () => {
    const responses = await Promise.all(Array.from({ length: 8 }, () => goal({ name: 'At once' })));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 200, 200, 201]);
  });

  test('returns 409 for an event name that belongs to another definition', async () => {
    const answer = await goal({ name: 'Mine', event_names: ['Payment_Received'] });
    expect(answer.body.error).toMatchObject({ code: 'invalid_state', status: 409 });
  });

  test('[ver-006] [ver-007] [ver-008] [ver-009] the deprecated route works until its sunset and names its successor', async () => {
    const call = () => sender.send('/api/v1/goals', { name: 'Old goal' });
    kit.clock.set('2026-11-14T00:00:00Z');
    const response = await call();
    expect(response.status).toBe(201);
    expect(response.headers).toMatchObject({
      deprecation: '@1788566400',
      sunset: 'Fri, 04 Dec 2026 00:00:00 GMT',
      link: '<https://tributary.test/api/v1/goals/definitions>; rel="successor-version"',
    });
    kit.clock.set('2026-12-04T00:00:00Z');
    expect((await call()).status).toBe(404);
    kit.clock.set('2026-06-15T12:00:00Z');
  });
});

test('creating and changing a definition is written to the audit log', async () => {
  const save = (name: string) => sender.send('/api/v1/goals/definitions', { name, conversion_key: 'visit_paid' });
  const created = await save('Visit');
  await save('Paid visit');
  const { workspace_id: workspaceId } = await kit.app
    .forProfile(sender.profileId)
    .transaction((tx) => tx.selectFrom('profiles').select('workspace_id').executeTakeFirstOrThrow());
  const entry = { action: 'goal_definition.saved', target: `goal_definition:${created.body.data.id}` };
  expect(await auditEntries(kit, { workspaceId })).toMatchObject([
    { ...entry, detail: { key: 'visit_paid', is_new: true } },
    { ...entry, detail: { key: 'visit_paid', is_new: false } },
  ]);
});
