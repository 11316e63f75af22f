import assert from 'node:assert/strict';
import { checksOf } from '../check.ts';
import { dataOf, refusal } from '../expect.ts';
import { lead } from './fixtures.ts';

export const idempotency = checksOf('idempotency', (check) => {
  check(
    'err-069',
    'returns the first response for the same key and body, without repeating the operation',
    async ({ api, unique }) => {
      const headers = { 'idempotency-key': unique('idem') };
      const event = lead(unique('idempotent'));
      const first = await api.post('events', event, { headers });
      const again = await api.post('events', event, { headers });
      assert.deepEqual(dataOf(again, 202), dataOf(first, 202));
      const { body } = await api.get(`customers/journey?customer_key=${event.user_traits.external_id}`);
      assert.equal(body.data.total_count, 1);
    },
  );

  check(
    'err-067',
    'returns 409 idempotency_key_conflict for the same key with another body or operation',
    async ({ api, unique }) => {
      const headers = { 'idempotency-key': unique('idem') };
      const customer = unique('conflict');
      dataOf(await api.post('events', lead(customer), { headers }), 202);
      refusal(await api.post('events', lead(`${customer}-2`), { headers }), 409, 'idempotency_key_conflict');
      const rows = [{ email: `${customer}@example.com` }];
      refusal(await api.post('customers', { rows }, { headers }), 409, 'idempotency_key_conflict');
    },
  );

  check('err-068', 'returns one response for concurrent requests with one key', async ({ api, unique }) => {
    const headers = { 'idempotency-key': unique('idem') };
    const customer = unique('at-once');
    const answers = await Promise.all(Array.from({ length: 6 }, () => api.post('events', lead(customer), { headers })));
    for (const answer of answers) if (answer.status !== 202) refusal(answer, 409, 'idempotency_key_in_flight');
    const ids = new Set(answers.flatMap(({ status, body }) => (status === 202 ? [body.data.outcome_event_id] : [])));
    assert.equal(ids.size, 1);
    const { body } = await api.get(`customers/journey?customer_key=${customer}`);
    assert.equal(body.data.total_count, 1);
  });

  check('', 'does not store an error under a key, so that the corrected request succeeds', async ({ api, unique }) => {
    const headers = { 'idempotency-key': unique('idem') };
    const name = unique('mended');
    refusal(await api.post('events', { event_name: 5 }, { headers }), 422, 'validation_error');
    dataOf(await api.post('events', lead(name), { headers }), 202);
  });

  check('ops-010', 'requires an Idempotency-Key for each write to ads', async ({ api }) => {
    const writes: readonly (readonly [string, object])[] = [
      ['campaigns/1/pause', {}],
      ['campaigns/1/resume', {}],
      ['ads/1/pause', {}],
      ['ads/1/resume', {}],
      ['adsets/1/budget', { daily_budget_minor: 1_000 }],
      ['quality/ad-ids/url-tags/apply', { ad_ids: ['1'], acknowledge_learning_reset: true }],
      ['quality/ad-ids/url-tags/undo', { ad_id: '1' }],
    ];
    for (const [path, body] of writes) {
      const { status, body: answer } = await api.post(path, body);
      assert.ok(
        [400, 422].includes(status) && /idempotency-key/i.test(answer.error.message),
        `POST ${path}: ${status} ${answer.error.message}`,
      );
    }
  });

  check(
    'lim-025',
    'forgets a key after 24 hours and not before',
    async ({ api, unique, clock }) => {
      const headers = { 'idempotency-key': unique('idem') };
      const event = lead(unique('forgotten'), { occurred_at: clock.at(-60_000) });
      const { outcome_event_id: first } = dataOf(await api.post('events', event, { headers }), 202);
      await clock.advance({ minutes: 23 * 60 });
      assert.equal(dataOf(await api.post('events', event, { headers }), 202).outcome_event_id, first);
      await clock.advance({ minutes: 2 * 60 });
      assert.notEqual(dataOf(await api.post('events', event, { headers }), 202).outcome_event_id, first);
    },
    'clock',
  );
});
