import { announce } from '@tributary/domain/tenancy/events';
import { visitsConsumer } from '@tributary/domain/traffic/ingestion/module.ts';
import { createWorkMetrics } from '@tributary/telemetry/prometheus.ts';
import { buildApiKey, buildProfile, openApi, openTestkit, type TestApi, type Testkit } from '@tributary/testkit';
import { openPrivateStream, type PrivateStream } from '@tributary/testkit/stream';
import { differenceKindNames } from '@tributary/vocabulary';
import { queues } from '@tributary/work';
import { v7 as uuid } from 'uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { workFigures } from './figures.ts';

let kit: Testkit;
let api: TestApi;
let log: PrivateStream;
beforeAll(async () => {
  kit = await openTestkit();
  [api, log] = await Promise.all([openApi(kit), openPrivateStream()]);
  await log.stream.ensureWorkStreams();
});
afterAll(async () => {
  await log.destroy();
  await api.close();
  await kit.close();
});

test('counts waiting work when metrics are read, and reports NaN for an engine that is down', async () => {
  const metrics = createWorkMetrics(workFigures(kit.system, log.stream, undefined));
  const readMetrics = async () =>
    Object.fromEntries(
      [...(await metrics.text()).matchAll(/^(tributary_\S+) (\S+)$/gm)].map(([, name, n]) => [name, n]),
    );
  const zeros = {
    ...Object.fromEntries(
      Object.values(queues).flatMap(({ name }) =>
        ['waiting', 'oldest_seconds', 'set_aside'].map((figure) => [`tributary_queue_${figure}{queue="${name}"}`, '0']),
      ),
    ),
    ...Object.fromEntries(
      differenceKindNames.map((kind) => [`tributary_reconciliation_differences{kind="${kind}"}`, '0']),
    ),
    tributary_jobs_failed: '0',
    tributary_visits_waiting: '0',
    tributary_dead_letters: '0',
    tributary_visits_log_fill: '0',
    tributary_dead_letters_fill: '0',
    'tributary_provider_webhooks_fill{stream="webhooks"}': '0',
    'tributary_provider_webhooks_fill{stream="unverified-webhooks"}': '0',
    tributary_provider_webhooks_waiting: '0',
    tributary_events_waiting: '0',
  };
  expect(await readMetrics()).toEqual(zeros);

  const { id } = await buildProfile(kit.app);
  const { headers } = await buildApiKey(kit.app, id, { scopes: ['attribution:write'] });
  const post = (path: string, payload: object) =>
    api.fastify.inject({ method: 'POST', url: `/api/v1/${path}`, headers: { ...headers }, payload });
  await post('events', {
    event_name: 'payment_received',
    idempotency_key: 'order-1',
    properties: { value: '10.00', currency: 'USD' },
    user_traits: { external_id: 'eva' },
  });
  await post('spend', {
    rows: [
      { platform: 'social_ads', level: 'ad', external_id: 'film', date: '2026-05-01', currency: 'USD', spend: '1' },
    ],
  });
  await post('customers/erasures', { request_ref: 'ticket-1', customer_key: 'eva' });
  await kit.app.forProfile(id).transaction((tx) => {
    const data = { profile_id: id, replay_id: uuid(), cause: 'test', conversions: 1 };
    return announce(tx, [{ id: uuid(), type: 'recompute.completed', data, occurredAt: kit.clock.now() }]);
  });
  await log.stream.publish([1, 2].map(() => ({ id: uuid(), key: uuid(), payload: Buffer.from('visit') })));
  metrics.countFailure('attribution');
  const waiting = await readMetrics();
  expect(waiting).toEqual({
    ...zeros,
    'tributary_work_failures_total{work="attribution"}': '1',
    tributary_visits_waiting: '2',
    'tributary_queue_waiting{queue="attribution"}': '1',
    'tributary_queue_waiting{queue="delivery"}': '2',
    tributary_events_waiting: '1',
    'tributary_queue_waiting{queue="erasures"}': '1',
  });

  const consumer = await log.stream.consume({ name: visitsConsumer, maxWaitMs: 10, handler: async () => {} });
  await expect.poll(readMetrics).toMatchObject({ tributary_visits_waiting: '0' });
  await consumer.stop();
  await log.stream.close();
  expect(await readMetrics()).toMatchObject({
    tributary_visits_waiting: 'Nan',
    'tributary_queue_waiting{queue="attribution"}': '1',
  });
});
