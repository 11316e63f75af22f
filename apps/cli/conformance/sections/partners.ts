import assert from 'node:assert/strict';
import { checksOf } from '../check.ts';
import type { Json } from '../client.ts';
import { dataOf, refusal } from '../expect.ts';
import { lead, record } from './fixtures.ts';
import { market } from './market.ts';

export const partners = checksOf('partners', (check) => {
  check(
    'part-001 part-007 part-008',
    "records a customer's first answer, and each message once",
    async ({ api, unique }) => {
      const external_ref = unique('declared');
      await record(api, lead(external_ref));
      const send = async (wamid: string, answer_key: string) =>
        dataOf(await api.post('partner/declared-source', { wamid, answer_key, customer: { external_ref } }));
      const wamid = unique('wamid');
      const first = await send(wamid, 'instagram');
      const again = await send(wamid, 'instagram');
      const other = await send(unique('wamid'), 'tiktok');
      assert.deepEqual([first.status, again.status, other.status], ['recorded', 'duplicate', 'kept_first']);
      assert.deepEqual(
        [again.touch_id, other.touch_id, other.answer_key],
        [first.touch_id, first.touch_id, 'instagram'],
      );
    },
  );

  check(
    'part-002 part-009 part-010 part-011 err-098',
    'refuses a source without a customer, for two customers, without a text or with a national id',
    async ({ api, unique }) => {
      const source = { wamid: unique('wamid'), answer_key: 'instagram' };
      const customer = { external_ref: unique('someone') };
      refusal(await api.post('partner/declared-source', source), 422, 'validation_error');
      refusal(
        await api.post('partner/declared-source', { ...source, customer, wa_id: '56912345678' }),
        422,
        'validation_error',
      );
      refusal(
        await api.post('partner/declared-source', { ...source, customer, answer_key: 'other' }),
        422,
        'validation_error',
      );
      refusal(
        await api.post('partner/declared-source', { ...source, customer, answer_key: 'x' }),
        422,
        'unknown_answer_key',
      );
      const named = { ...source, customer: { ...customer, national_id: '11.111.111-1' } };
      refusal(await api.post('partner/declared-source', named), 400, 'invalid_parameter');
    },
  );

  check(
    'part-004 part-005 part-006 err-099',
    'creates a customer for a new reference with an e-mail address, but not for a reference alone',
    async ({ api, unique }) => {
      const external_ref = unique('new-ref');
      const source = { wamid: unique('wamid'), answer_key: 'instagram' };
      refusal(
        await api.post('partner/declared-source', { ...source, customer: { external_ref } }),
        422,
        'unknown_customer_ref',
      );
      refusal(await api.get(`customers/journey?customer_key=${external_ref}`), 404, 'customer_not_found');
      dataOf(
        await api.post('partner/declared-source', {
          ...source,
          customer: { external_ref, email: `${external_ref}@example.com` },
        }),
      );
      dataOf(await api.get(`customers/journey?customer_key=${external_ref}`));
    },
  );

  check(
    'part-012 part-013 part-014 part-016',
    'records a referral as a touch at its own time, once per key, and no lead',
    async (context) => {
      const { api, unique, clock } = context;
      const { first } = await market(context);
      const external_ref = unique('referred');
      await record(api, lead(external_ref));
      const occurred_at = clock.at(-3 * 86_400_000);
      const referral = {
        idempotency_key: unique('referral'),
        ad_id: first.adId,
        occurred_at,
        customer: { external_ref },
      };
      const once = dataOf(await api.post('partner/ad-referrals', referral));
      const twice = dataOf(await api.post('partner/ad-referrals', referral));
      assert.deepEqual(
        [once.summary, twice.summary],
        [
          { recorded: 1, duplicate: 0 },
          { recorded: 0, duplicate: 1 },
        ],
      );
      const { events } = dataOf(await api.get(`customers/journey?customer_key=${external_ref}`));
      const touches = events.filter(({ event_type }: Json) => event_type === 'ad_referral');
      assert.deepEqual(
        touches.map(({ event_time }: Json) => event_time),
        [occurred_at],
      );
      assert.equal(events.filter(({ event_type }: Json) => event_type === 'lead_created').length, 1);
    },
  );

  check(
    'part-015 err-100',
    "refuses a referral to an ad that is not the profile's with 422 unknown_ad",
    async ({ api, unique, clock }) => {
      const external_ref = unique('elsewhere');
      await record(api, lead(external_ref));
      const referral = {
        idempotency_key: unique('r'),
        ad_id: '404404404',
        occurred_at: clock.at(-60_000),
        customer: { external_ref },
      };
      refusal(await api.post('partner/ad-referrals', referral), 422, 'unknown_ad');
    },
  );

  check(
    'part-017 part-018 part-019',
    'previews how referrals would change credits by model, without changes',
    async (context) => {
      const { api, unique, clock } = context;
      const { first } = await market(context);
      const external_ref = unique('previewed');
      await record(api, lead(external_ref));
      const referrals = [
        {
          idempotency_key: unique('r'),
          ad_id: first.adId,
          occurred_at: clock.at(-86_400_000),
          customer: { external_ref },
        },
      ];
      const { conversions_recredited } = dataOf(await api.post('partner/ad-referrals/preview', { referrals }));
      assert.equal(Object.keys(conversions_recredited).length, 6);
      assert.equal(conversions_recredited.first_touch, 1);
      const { total_count } = dataOf(await api.get(`customers/journey?customer_key=${external_ref}`));
      assert.equal(total_count, 1);
    },
  );
});

export const adOperations = checksOf('ad-operations', (check) => {
  check('ops-030', 'writes no tags without acknowledge_learning_reset', async ({ api, unique }) => {
    const headers = { 'idempotency-key': unique('tags') };
    refusal(await api.post('quality/ad-ids/url-tags/apply', { ad_ids: ['1'] }, { headers }), 422, 'validation_error');
    refusal(
      await api.post(
        'quality/ad-ids/url-tags/apply',
        { ad_ids: ['1'], acknowledge_learning_reset: false },
        { headers },
      ),
      422,
      'validation_error',
    );
  });

  check('ops-033', 'returns whether tags can be written, and the latest changes', async ({ api }) => {
    const { can_apply, recent } = dataOf(await api.get('quality/ad-ids/url-tags'));
    assert.deepEqual([typeof can_apply, Array.isArray(recent)], ['boolean', true]);
  });

  check('ops-015', 'returns 404 campaign_not_found for a campaign of another profile', async ({ api, unique }) => {
    for (const action of ['pause', 'resume']) {
      const headers = { 'idempotency-key': unique(action) };
      refusal(await api.post(`campaigns/404404/${action}`, {}, { headers }), 404, 'campaign_not_found');
    }
  });
});
