import type { OutcomeRecord } from '@tributary/providers';
import { processQueue, testOutcomeServices } from '@tributary/testkit';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openConnections } from './connections.fixture.ts';
import { requestSync } from './store.ts';
import { syncs } from './syncs.queue.ts';

const { kit, toy, shop, services } = await openConnections('crm_a');
const now = () => kit.clock.now();
const stores = { ...services, app: kit.app, system: kit.system, now, outcomes: testOutcomeServices, random: () => 0 };
const handler = syncs(stores);

async function openCrm() {
  const { ledger, profile, connect } = await shop();
  const id = await connect('crm_a');
  const rows = async (statement: ReturnType<typeof sql>) =>
    (await ledger.transaction((tx) => statement.execute(tx))).rows as Record<string, unknown>[];
  return {
    map: (stage: string, to: string) =>
      rows(sql`UPDATE definitions SET conversion_type = ${to}, mapping_source = 'user' WHERE stage_id = ${stage}`),
    async sync(...deals: readonly OutcomeRecord[]) {
      toy.pages = [{ records: deals }];
      await ledger.transaction((tx) => requestSync(tx, { profile_id: profile.id, id, channel: 'crm_a' }, now()));
      await processQueue(kit.system, 'syncs', handler, id);
    },
    /** The events of each deal. */
    recorded: async () =>
      (
        await rows(sql`SELECT external_id || ' ' || event_type AS record FROM outcomes WHERE event_type NOT LIKE '%withdrawn'
          ORDER BY record`)
      ).map(({ record }) => record),
    customers: () => rows(sql`SELECT DISTINCT customer_id FROM outcomes`),
  };
}

const deal = (externalId: string, stageId: string, more: Partial<OutcomeRecord> = {}): OutcomeRecord => ({
  kind: 'outcome',
  externalId,
  stage: { pipelineId: 'pipe', stageId },
  occurredAt: '2025-12-01T10:00:00.000Z',
  value: '100',
  currency: 'CLP',
  person: { externalId: 'p-1', email: 'ana@example.com', name: 'Ana Soto' },
  properties: { pipeline_id: 'pipe', stage_id: stageId },
  ...more,
});

test('a deal counts only under its stage’s current meaning, also after the stage is mapped back', async () => {
  const { map, sync, recorded, customers } = await openCrm();
  const deals = [deal('d1', 'sent'), deal('d2', 'sent')];
  await sync(...deals);
  await map('sent', 'quote_sent');
  await sync(...deals);
  expect(await recorded()).toEqual(['d1 quote_sent', 'd2 quote_sent']);
  await map('sent', 'appointment_booked');
  await sync(...deals);
  expect(await recorded()).toEqual(['d1 appointment_booked', 'd2 appointment_booked']);
  await map('sent', 'ignored');
  await sync(...deals);
  expect(await recorded()).toEqual([]);
  await map('sent', 'quote_sent');
  await sync(...deals);
  expect(await recorded()).toEqual(['d1 quote_sent', 'd2 quote_sent']);
  expect(await customers()).toHaveLength(1);
});

test('a deal that left a stage keeps its record, which follows the stage’s new meaning', async () => {
  const { map, sync, recorded } = await openCrm();
  await sync(deal('d1', 'call'), deal('d2', 'sent'));
  await map('call', 'lead_created');
  await map('sent', 'quote_sent');
  await sync(deal('d1', 'call'));
  await sync(deal('d1', 'sent'));
  expect(await recorded()).toEqual(['d1 lead_created', 'd1 quote_sent']);
  await map('call', 'messaging_started');
  await sync(deal('d1', 'sent'));
  expect(await recorded()).toEqual(['d1 messaging_started', 'd1 quote_sent']);
});

test('the end of a deal is kept, whatever its stage is mapped to', async () => {
  const { map, sync, recorded } = await openCrm();
  const won = [deal('d1', 'sent'), deal('d1', 'sent', { outcomeType: 'closed_won' })];
  await sync(...won);
  await map('sent', 'quote_sent');
  await sync(...won);
  await map('sent', 'ignored');
  await sync(...won);
  expect(await recorded()).toEqual(['d1 closed_won']);
  // The deal is reopened.
  await sync(deal('d1', 'sent'));
  expect(await recorded()).toEqual(['d1 closed_won']);
});
