import assert from 'node:assert/strict';
import { checksOf } from '../check.ts';
import { dataOf, momentPattern, refusal } from '../expect.ts';
import { appProfile } from './authentication.ts';
import { buyer, days, lead, record } from './fixtures.ts';

export const conventions = checksOf('conventions', (check) => {
  check('conv-011 conv-012 conv-013', 'returns JSON with data and meta.profile_id', async (context) => {
    const { api, profileId } = context;
    for (const path of [
      `campaigns?${days(context)}`,
      'connections',
      'webhooks/subscriptions',
      'tracking/settings',
      'goals/definitions',
      `campaigns/platform-comparison?${days(context)}`,
      'top-performers',
      'profile',
    ]) {
      const answer = await api.get(path);
      dataOf(answer);
      assert.match(answer.headers.get('content-type') ?? '', /^application\/json/, path);
      assert.ok('data' in answer.body, `GET ${path} has no data`);
      assert.equal(answer.body.meta.profile_id, profileId, `meta.profile_id of GET ${path}`);
    }
  });

  check('conv-010 err-016', 'returns 400 invalid_request for a body that is not JSON', async ({ api }) => {
    refusal(await api.post('events', '{"event_name":'), 400, 'invalid_request');
    const headers = { 'content-type': 'text/plain' };
    refusal(await api.post('events', 'event_name=lead', { headers }), 400, 'invalid_request');
  });

  check('conv-018', 'returns timestamps in ISO 8601', async (context) => {
    const { person } = await buyer(context);
    for (const { occurred_at } of person.conversions) assert.match(occurred_at, momentPattern);
    const { body } = await context.api.get(`customers/search?q=${person.name.split(' ')[0]}`);
    for (const { first_seen_at, last_seen_at } of body.data) {
      assert.match(first_seen_at, momentPattern);
      assert.match(last_seen_at, momentPattern);
    }
  });

  check('conv-017', 'accepts dates as YYYY-MM-DD and returns them unchanged', async (context) => {
    const { api, clock } = context;
    const { body } = await api.get(`campaigns?${days(context)}`);
    assert.deepEqual([body.meta.date_from, body.meta.date_to], [clock.day(2), clock.day(-1)]);
    for (const day of ['2026-1-1', '01/02/2026', '2026-01-01T00:00:00Z'])
      refusal(
        await api.get(`campaigns?date_from=${encodeURIComponent(day)}&date_to=2026-02-01`),
        400,
        'invalid_date_range',
      );
  });

  check('conv-019 conv-020 camp-050', 'reports by six models, by default last_touch', async (context) => {
    const { api } = context;
    const models = ['last_touch', 'first_touch', 'linear', 'time_decay', 'last_non_direct', 'position_based'];
    for (const model of models) {
      const answer = await api.get(`campaigns?${days(context)}&model=${model}`);
      dataOf(answer);
      assert.equal(answer.body.meta.model, model);
    }
    assert.equal((await api.get(`campaigns?${days(context)}`)).body.meta.model, 'last_touch');
    refusal(await api.get(`campaigns?${days(context)}&model=best_touch`), 400, 'invalid_parameter');
  });

  check(
    'conv-014 conv-015 err-013',
    "answers another profile's ids as if they did not exist",
    async (context) => {
      const { app, as } = context;
      const other = await appProfile(context);
      const stranger = as(await app.createKey(other.id));
      const mine = await buyer(context);
      refusal(await stranger.get(`customers/journey?customer_key=${mine.key}`), 404, 'customer_not_found');
      refusal(await stranger.get(`customers/journey?email=${mine.email}`), 404, 'customer_not_found');
      refusal(await stranger.get(`conversions/${mine.outcomeId}/journey`), 404, 'conversion_not_found');
      refusal(await stranger.get(`payments/${mine.outcomeId}`), 404, 'not_found');
      const found = await stranger.get(`customers/search?q=${mine.key}`);
      assert.deepEqual(dataOf(found), []);
    },
    'app',
  );

  check(
    'conv-016',
    'changes nothing of another profile',
    async (context) => {
      const { app, as, api, unique } = context;
      const other = await appProfile(context);
      const stranger = as(await app.createKey(other.id));
      const mine = await buyer(context);
      const before = dataOf(await api.get(`payments/${mine.outcomeId}`));
      refusal(await stranger.post(`payments/${mine.outcomeId}/refund`, { amount: '1.00' }), 404, 'not_found');
      refusal(await stranger.put(`payments/${mine.outcomeId}/installment`, { is_installment: true }), 404, 'not_found');
      const wanted = { request_ref: 'conv-016', customer_key: mine.key };
      refusal(await stranger.post('customers/erasures', wanted), 404, 'customer_not_found');
      await record(stranger, lead(unique('stranger'), { user_traits: { email: mine.email } }));
      assert.deepEqual(dataOf(await api.get(`payments/${mine.outcomeId}`)), before);
      const { body } = await api.get(`customers/journey?customer_key=${mine.key}`);
      assert.equal(body.meta.person.counts.conversions, mine.person.counts.conversions);
    },
    'app',
  );

  check('conv-008 ver-001', 'serves its operations under /api/v1 and nowhere else', async ({ api }) => {
    for (const path of ['/campaigns', '/api/campaigns', '/api/v2/campaigns', '/v1/campaigns'])
      refusal(await api.get(path), 404, 'not_found');
  });
});
