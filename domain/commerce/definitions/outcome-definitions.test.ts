import { buildApiKey, openTest, scene } from '@tributary/testkit';
import { stageOutcomes } from '@tributary/vocabulary';
import { expect, test } from 'vitest';
import { upsertStages } from './module.ts';

const { kit, api } = await openTest();

async function openCrm() {
  const shop = await scene({ kit, api });
  const write = async (method: 'PATCH' | 'PUT', path: string, body: unknown) => {
    const headers = { 'content-type': 'application/json' };
    const answer = await shop.call(method, path, JSON.stringify(body), headers);
    return { status: answer.statusCode, body: answer.json() };
  };
  const stages = [
    { pipelineId: 'p', stageId: 's1', name: 'Sales: New lead', suggestion: 'lead_created' as const },
    { pipelineId: 'p', stageId: 's2', name: 'Sales: Llamar', suggestion: null },
  ];
  const syncStages = () =>
    shop.ledger.transaction((tx) => upsertStages(tx, shop.profileId, 'crm_a', stages, kit.clock.now()));
  const [suggested, unmapped] = await syncStages();
  return { ...shop, write, syncStages, suggested: suggested?.id as string, unmapped: unmapped?.id as string };
}

test('[conn-047] [conn-049] [conn-050] sets the outcome of a stage idempotently and refuses unsupported outcomes', async () => {
  const { write, unmapped, syncStages, profileId } = await openCrm();
  const path = `/api/v1/outcome-definitions/${unmapped}`;
  const mapped = await write('PATCH', path, { event_key: 'appointment_booked' });
  expect(mapped).toMatchObject({
    status: 200,
    body: {
      data: { id: unmapped, kind: 'pipeline_stage', stage_id: 's2', event_key: 'appointment_booked', source: 'user' },
    },
  });
  expect(await write('PATCH', path, { event_key: 'appointment_booked' })).toEqual(mapped);
  const wrong = await write('PATCH', path, { event_key: 'payment_received' });
  expect([wrong.status, wrong.body.error]).toEqual([
    422,
    expect.objectContaining({ code: 'validation_error', field: 'event_key' }),
  ]);
  // A later sync of the stages keeps the member's choice.
  expect((await syncStages()).map(({ eventKey, source }) => [eventKey, source])).toEqual([
    ['lead_created', 'suggested'],
    ['appointment_booked', 'user'],
  ]);
  const reader = await buildApiKey(kit.app, profileId, { scopes: ['connections:write'] });
  const refused = await api.call({
    method: 'PATCH',
    url: path,
    headers: reader.headers,
    payload: { event_key: 'ignored' },
  });
  expect([refused.statusCode, refused.json().error.code]).toEqual([403, 'insufficient_scope']);
});

test('[conn-048] returns 409 for a profile that is not enabled', async () => {
  const { write, unmapped, profileId } = await openCrm();
  await kit.app
    .forProfile(profileId)
    .transaction((tx) => tx.updateTable('profiles').set({ is_attribution_enabled: false }).execute());
  const answer = await write('PATCH', `/api/v1/outcome-definitions/${unmapped}`, { event_key: 'ignored' });
  expect([answer.status, answer.body.error.code]).toEqual([409, 'entitlement_required']);
});

test('[conn-051] [conn-052] updates several definitions atomically', async () => {
  const { write, suggested, unmapped, ask } = await openCrm();
  const put = (definitions: unknown) => write('PUT', '/api/v1/profile/outcome-definitions', { definitions });
  const goals = (await ask('/api/v1/goals/definitions')).body.data as { id: string; conversion_key: string }[];
  const lead = goals.find(({ conversion_key }) => conversion_key === 'lead_created')?.id as string;
  const all = await put([
    { id: suggested, event_key: 'ignored' },
    { id: unmapped, event_key: 'quote_sent' },
    { id: lead, event_key: 'Formulario enviado' },
  ]);
  expect(all.status).toBe(200);
  const meaning = (rows: { id: string; event_key: string }[]) =>
    Object.fromEntries(
      rows.filter(({ id }) => [suggested, unmapped, lead].includes(id)).map((row) => [row.id, row.event_key]),
    );
  const expected = { [suggested]: 'ignored', [unmapped]: 'quote_sent', [lead]: 'formulario enviado' };
  expect(meaning(all.body.data)).toEqual(expected);

  const wrong = await put([
    { id: suggested, event_key: stageOutcomes[0] },
    { id: unmapped, event_key: 'nonsense' },
  ]);
  expect([wrong.status, wrong.body.error]).toEqual([
    422,
    expect.objectContaining({ code: 'validation_error', field: 'definitions.1.event_key' }),
  ]);
  const foreignShop = await openCrm();
  const foreign = await put([{ id: foreignShop.unmapped, event_key: 'ignored' }]);
  expect([foreign.status, foreign.body.error.field]).toEqual([422, 'definitions.0.id']);
  expect(meaning((await put([{ id: unmapped, event_key: 'quote_sent' }])).body.data)).toEqual(expected);
  // Goals are still listed without stages.
  expect((await ask('/api/v1/goals/definitions')).body.data).toHaveLength(goals.length);
});
