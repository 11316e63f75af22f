import { announce } from '@tributary/domain/tenancy/events';
import { sequenceBatch } from '@tributary/domain/tenancy/events/module.ts';
import { createPersonalDataGate } from '@tributary/operations';
import { createOutbound } from '@tributary/outbound';
import {
  buildConnection,
  buildWebhook,
  openTestWithClickHouse,
  processQueue,
  type Scene,
  scene,
  testOutcomeServices,
  testVault,
} from '@tributary/testkit';
import { type AnyQueueHandler, type QueueName, queues } from '@tributary/work';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { expect, test } from 'vitest';
import type { Work } from './jobs.ts';
import { queueHandlers } from './queues.ts';

const world = await openTestWithClickHouse();
const { kit, clickhouse } = world;
const outbound = createOutbound({ timeoutMs: 2_000 });
const now = () => kit.clock.now();
const due = new Date('2026-06-01T00:00:00Z');

/** All that the queues need, except access to external hosts. */
const work: Pick<Work, 'app' | 'system' | 'clickhouse' | 'quick' | 'patient' | 'deliveries' | 'syncing' | 'mailing'> = {
  app: kit.app,
  system: kit.system,
  clickhouse: { ...kit.clickhouse, database: kit.clickhouseDatabase },
  quick: clickhouse,
  patient: clickhouse,
  deliveries: { outbound, vault: testVault, gate: createPersonalDataGate(kit.app) },
  syncing: {
    vault: testVault,
    providers: { of: () => undefined },
    providerOutbound: outbound,
    outcomes: testOutcomeServices,
  },
  mailing: { mailer: undefined, baseUrl: 'https://tributary.test' },
};
const stream = { end: async () => '1', consumedThrough: async () => '9' };
const handlers = queueHandlers({ ...work, stream, ingestion: {}, now } as unknown as Work);

/** Adds an item to a queue; resolves to the queue key if that is not the profile. */
type Enqueue = (shop: Scene) => Promise<unknown>;

const run = async (shop: Scene, statement: ReturnType<typeof sql>) =>
  void (await shop.ledger.transaction((tx) => statement.execute(tx)));
const connect = ({ profileId: id, workspaceId }: Scene) =>
  buildConnection(kit, { id, workspaceId }, { status: 'disconnected' });

const samples: Record<QueueName, readonly (readonly [what: string, enqueue: Enqueue])[]> = {
  attribution: [['a conversion', async (shop) => void (await shop.send())]],
  delivery: [
    ['an entity and its day', async (shop) => void (await shop.spend({ external_id: 'film', date: '2026-05-01' }))],
  ],
  firstPayments: [
    [
      'a customer',
      (shop) =>
        run(shop, sql`INSERT INTO dirty_customers (profile_id, customer_id) VALUES (${shop.profileId}, ${uuid()})`),
    ],
  ],
  sales: [
    [
      'a payment',
      (shop) => run(shop, sql`INSERT INTO dirty_sales (profile_id, outcome_id) VALUES (${shop.profileId}, ${uuid()})`),
    ],
    [
      'a source',
      (shop) =>
        run(
          shop,
          sql`INSERT INTO sale_rescans (profile_id, source, is_matched) VALUES (${shop.profileId}, 'payments_a', false)`,
        ),
    ],
    [
      'a source whose matches stay',
      (shop) =>
        run(
          shop,
          sql`INSERT INTO sale_rescans (profile_id, source, is_matched) VALUES (${shop.profileId}, 'my shop', true)`,
        ),
    ],
  ],
  erasures: [
    [
      'an erasure',
      async (shop) => {
        const id = uuid();
        await run(
          shop,
          sql`INSERT INTO erasures (profile_id, id, request_ref, status, reason, requested_at, cleared)
            VALUES (${shop.profileId}, ${id}, 'r', 'queued', 'other', ${due}, '{}')`,
        );
        await run(
          shop,
          sql`INSERT INTO erasure_work (profile_id, erasure_id, shell_id, person_ids) VALUES (${shop.profileId}, ${id}, ${uuid()}, '{}')`,
        );
      },
    ],
  ],
  webhooks: [
    [
      'a delivery',
      async (shop) => {
        const subscription = await buildWebhook(kit, { id: shop.profileId, mark: 'shop' });
        const data = { profile_id: shop.profileId, replay_id: uuid(), cause: 'test', conversions: 1 };
        await shop.ledger.transaction((tx) =>
          announce(tx, [{ id: uuid(), type: 'recompute.completed', data, occurredAt: now() }]),
        );
        await sequenceBatch(kit.system.unbound, now());
        return subscription;
      },
    ],
  ],
  exports: [
    [
      'an event of each of two targets',
      async (shop) => {
        const { outcomeId } = await shop.send();
        for (let n = 0; n < 2; n += 1) {
          const target = uuid();
          await run(
            shop,
            sql`INSERT INTO export_targets (profile_id, id, connection_id, dataset, events, every_minutes, is_enabled, created_at, updated_at)
              VALUES (${shop.profileId}, ${target}, ${await connect(shop)}, '1', '{}', 1, true, ${due}, ${due})`,
          );
          await run(
            shop,
            sql`INSERT INTO export_events (profile_id, target_id, outcome_id, scheduled_at, due_at)
              VALUES (${shop.profileId}, ${target}, ${outcomeId}, ${due}, ${due})`,
          );
        }
      },
    ],
  ],
  adActions: [
    [
      'a change of an ad',
      async (shop) =>
        run(
          shop,
          sql`INSERT INTO ad_actions (profile_id, id, kind, platform, level, external_id, connection_id, key_hash, fingerprint, actor_kind,
              actor_id, request_id, wanted, state, created_at, due_at, holder)
            VALUES (${shop.profileId}, ${uuid()}, 'pause', 'social_ads', 'ad', '1', ${await connect(shop)}, '\\x01', '\\x01', 'api_key',
              ${uuid()}, 'req', '{}', 'reading', ${due}, ${due}, ${uuid()})`,
        ),
    ],
  ],
  syncs: [
    [
      'a sync',
      async (shop) => {
        const connection = await connect(shop);
        await run(
          shop,
          sql`INSERT INTO syncs (profile_id, connection_id, channel, due_at) VALUES (${shop.profileId}, ${connection}, 'social_ads', ${due})`,
        );
        return connection;
      },
    ],
  ],
  reconciliations: [
    [
      'a reconciliation',
      async (shop) =>
        void (await shop.post('/api/v1/reconciliations', { date_from: '2026-05-01', date_to: '2026-05-02' })),
    ],
  ],
  scores: [
    [
      'the profile',
      (shop) => run(shop, sql`INSERT INTO score_rebuilds (profile_id, is_due) VALUES (${shop.profileId}, true)`),
    ],
  ],
  reportMails: [
    ['a report', (shop) => run(shop, reportMail(shop, uuid(), due))],
    [
      'a mail to each of two members',
      async (shop) => {
        const id = uuid();
        await run(shop, reportMail(shop, id, new Date('9000-01-01')));
        for (const user of [uuid(), uuid()])
          await run(
            shop,
            sql`INSERT INTO report_mail_deliveries (profile_id, mail_id, sent_for, user_id, date_from, date_to, state, due_at)
              VALUES (${shop.profileId}, ${id}, ${due}, ${user}, '2026-05-01', '2026-05-07', 'waiting', ${due})`,
          );
      },
    ],
  ],
  alertMails: [
    [
      'the mails of an alert that opened and ended',
      async (shop) => {
        const id = uuid();
        await run(
          shop,
          sql`INSERT INTO alerts (profile_id, id, kind, since, opened_at, ended_at) VALUES (${shop.profileId}, ${id}, 'figures_late', ${due}, ${due}, ${due})`,
        );
        const user = uuid();
        for (const moment of ['opened', 'ended'])
          await run(
            shop,
            sql`INSERT INTO alert_mails (profile_id, alert_id, moment, user_id, language, made_at, state, due_at)
              VALUES (${shop.profileId}, ${id}, ${moment}, ${user}, 'en', ${due}, 'waiting', ${due})`,
          );
      },
    ],
  ],
  tenantDeletions: [
    [
      'a deletion',
      async (shop) => {
        await run(
          shop,
          sql`INSERT INTO tenant_deletions (profile_id, workspace_id, requested_at, updated_at)
            VALUES (${shop.profileId}, ${shop.workspaceId}, ${due}, ${due})`,
        );
      },
    ],
  ],
};

const reportMail = ({ profileId }: Scene, id: string, at: Date) => sql`
  INSERT INTO report_mails (profile_id, id, page, model, every, language, recipients, made_by, created_at, due_at)
  VALUES (${profileId}, ${id}, 'overview', 'last_touch', 'week', 'en', '{}', ${uuid()}, ${due}, ${at})`;

/** Processing these requires the stream or several stores; their own tests process them after they were requeued. */
const processedElsewhere: readonly QueueName[] = ['erasures', 'tenantDeletions'];

const { signal } = new AbortController();
const asSystem = kit.system.unbound.transaction;
const claimFirst = async (handler: AnyQueueHandler, key: string) => {
  if ('load' in handler) return (await handler.load(key, 100, signal)).items[0];
  const claimed = await asSystem((tx) => handler.loadAll(tx, [key], 100));
  return claimed.get(key)?.items[0];
};

/** Parks one item after the other until none is left. Resolves to their ids. */
async function parkAll(handler: AnyQueueHandler, key: string): Promise<string[]> {
  const ids: string[] = [];
  for (let item = await claimFirst(handler, key); item; item = await claimFirst(handler, key)) {
    const parked = item;
    if (ids.includes(parked.id)) expect.unreachable(`${parked.id} was parked and is claimed again`);
    ids.push(parked.id);
    await asSystem((tx) => handler.park(tx, key, parked));
  }
  return ids.sort();
}

const cases = Object.entries(samples).flatMap(([queue, all]) =>
  all.map(([what, enqueue]) => [queue as QueueName, what, enqueue] as const),
);

test.each(cases)('%s: %s is parked item by item, requeued whole and processed', async (queue, _, enqueue) => {
  const shop = await scene(world, { scopes: ['attribution:write', 'analytics:read'] });
  const key = ((await enqueue(shop)) as string | undefined) ?? shop.profileId;
  const handler: AnyQueueHandler = handlers[queue];
  const ids = await parkAll(handler, key);
  expect(ids.length).toBeGreaterThan(0);
  // Items are requeued with a time of PostgreSQL's clock.
  kit.clock.set(new Date(Date.now() + 60_000));
  for (const requeued of [ids.slice(0, 1), ids]) {
    await asSystem((tx) => handler.unpark(tx, key, requeued));
    expect(await parkAll(handler, key)).toEqual(requeued);
  }
  if (processedElsewhere.includes(queue)) return;
  await asSystem((tx) => handler.unpark(tx, key, ids));
  await processQueue(kit.system, queue, handler, key);
  expect(await claimFirst(handler, key)).toBeUndefined();
});

test('every queue is covered', () => {
  expect(Object.keys(samples).sort()).toEqual(Object.keys(queues).sort());
});
