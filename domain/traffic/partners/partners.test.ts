import { openTestWithClickHouse } from '@tributary/testkit';
import { attributionModelNames, declaredSourceAnswers, limits, nilUuid } from '@tributary/vocabulary';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { visitTouch } from './attributed-touch.ts';
import { ad, day, openPartner } from './partners.fixture.ts';

const world = await openTestWithClickHouse();
const open = (traits = {}) => openPartner(world, traits);

describe('POST /partner/declared-source', () => {
  test('an answer is a touch of its customer, and recredits their later conversions [part-001]', async () => {
    const shop = await open();
    const { outcomeId: before } = await shop.send({ occurred_at: day(3) });
    const { outcomeId: after } = await shop.send({ occurred_at: day(9) });
    const { outcomeId: other } = await shop.send({ occurred_at: day(9), user_traits: { external_id: 'ana' } });
    await shop.attribute();
    const answered = await shop.declare({ customer: { external_ref: 'eva-1' } });
    expect(answered).toMatchObject({
      status: 200,
      body: { data: { status: 'recorded', answer_key: 'instagram', customer_key: 'eva-1' } },
    });
    // Neither earlier conversions nor those of other customers.
    expect(await shop.waiting()).toEqual([after]);
    await shop.attribute();
    const paths = { [before]: [], [after]: ['organic_social instagram'], [other]: [] };
    expect(await shop.paths()).toEqual(paths);
    await shop.settle();
    expect(await shop.paths()).toEqual(paths);

    const journey = (await shop.ask('/api/v1/customers/journey?customer_key=eva-1&limit=50')).body;
    expect(journey.data.events).toContainEqual(
      expect.objectContaining({
        event_type: 'declared_source',
        event_time: day(5),
        channel: 'organic_social',
        source: 'instagram',
        medium: 'declared',
        is_synthetic: false,
      }),
    );
  });

  test('names its customer by external_ref or wa_id; an unknown one with email or phone is created with the reference [part-002][part-004][part-005]', async () => {
    const shop = await open();
    const refused = { status: 422, body: { error: { code: 'validation_error', field: 'customer' } } };
    expect(await shop.declare({})).toMatchObject(refused);
    expect(
      await shop.declare({ customer: { external_ref: 'x', email: 'x@example.test' }, wa_id: '56911112222' }),
    ).toMatchObject(refused);
    const customer = { external_ref: 'new-1', email: 'new@example.test', phone: '+56911112222' };
    expect(await shop.declare({ customer })).toMatchObject({ body: { data: { customer_key: 'new-1' } } });
    expect(await shop.rows(sql`SELECT kind, value FROM identifiers ORDER BY kind`)).toEqual([
      { kind: 'email', value: 'new@example.test' },
      { kind: 'external_customer_id', value: 'new-1' },
      { kind: 'phone', value: '+56911112222' },
    ]);
    // The same customer by their WhatsApp id.
    expect(await shop.declare({ wa_id: '56911112222', answer_key: 'google' })).toMatchObject({
      status: 200,
      body: { data: { status: 'kept_first', customer_key: 'new-1' } },
    });
    for (const customer of [
      { external_ref: 'a', email: 'no' },
      { external_ref: 'a', phone: 'no' },
    ])
      expect((await shop.declare({ customer })).status).toBe(422);
  });

  test('a healthcare-family profile accepts only external_ref [part-003]', async () => {
    const shop = await open({ privacyMode: 'platform_safe', scopes: ['attribution:write'] });
    expect(await shop.declare({ wa_id: '56911112222' })).toMatchObject({
      status: 422,
      body: { error: { code: 'validation_error', field: 'wa_id' } },
    });
    expect((await shop.declare({ customer: { external_ref: 'p-1', phone: '+56911112222' } })).status).toBe(200);
  });

  test('an unknown reference without email or phone creates no customer [part-006][err-099]', async () => {
    const shop = await open();
    expect(await shop.declare({ customer: { external_ref: 'nobody' } })).toMatchObject({
      status: 422,
      body: { error: { code: 'unknown_customer_ref' } },
    });
    expect(await shop.rows(sql`SELECT FROM customers`)).toEqual([]);
    expect(await shop.touches()).toEqual([]);
  });

  test('a message is recorded once, and the first answer of a customer counts [part-007][part-008]', async () => {
    const shop = await open();
    const customer = { external_ref: 'eva-1', email: 'eva@example.test' };
    const first = await shop.declare({ wamid: 'wamid.1', customer });
    const { touch_id } = first.body.data;
    expect((await shop.declare({ wamid: 'wamid.1', customer, answer_key: 'google' })).body.data).toMatchObject({
      touch_id,
      status: 'duplicate',
      answer_key: 'instagram',
    });
    expect((await shop.declare({ wamid: 'wamid.2', customer, answer_key: 'google' })).body.data).toMatchObject({
      touch_id,
      status: 'kept_first',
      answer_key: 'instagram',
    });
    expect(await shop.touches()).toEqual([{ kind: 'declared_source', answer_key: 'instagram', is_second: false }]);
    // WhatsApp message ids contain the phone number and must not be stored in clear.
    expect(JSON.stringify(await shop.rows(sql`SELECT * FROM partner_touches`))).not.toContain('wamid');
  });

  test('after a merge of two customers with answers, the answer that was received first counts for all conversions', async () => {
    const shop = await open();
    const early = await shop.declare({ customer: { external_ref: 'a', phone: '+56911112222' }, answer_key: 'tiktok' });
    await shop.declare({ customer: { external_ref: 'eva-1', email: 'eva@example.test' }, occurred_at: day(4) });
    const { outcomeId } = await shop.send({ occurred_at: day(9) });
    await shop.attribute();
    expect(await shop.paths()).toEqual({ [outcomeId]: ['organic_social instagram'] });
    await shop.rows(sql`UPDATE customers SET merged_into = (SELECT customer_id FROM identifiers WHERE value = 'eva-1')
      WHERE id = (SELECT customer_id FROM identifiers WHERE value = 'a')`);
    await shop.attribute();
    expect(await shop.paths()).toEqual({ [outcomeId]: ['organic_social tiktok'] });
    expect(early.body.data.status).toBe('recorded');
    await shop.settle();
    expect(await shop.paths()).toEqual({ [outcomeId]: ['organic_social tiktok'] });
  });

  test('an answer is one of the listed keys, or `other` with a text [part-009][part-010][err-098]', async () => {
    const shop = await open();
    const of = (answer_key: string, more = {}) =>
      shop.declare({
        answer_key,
        customer: { external_ref: answer_key, email: `${answer_key}@example.test` },
        ...more,
      });
    expect(await of('newspaper')).toMatchObject({ status: 422, body: { error: { code: 'unknown_answer_key' } } });
    expect(await of('other')).toMatchObject({ status: 422, body: { error: { field: 'answer_text' } } });
    for (const key of declaredSourceAnswers)
      expect((await of(key, { answer_text: 'A sign' })).body.data).toMatchObject({
        status: 'recorded',
        answer_key: key,
      });
    expect(await shop.rows(sql`SELECT answer_text FROM partner_touches WHERE answer_key = 'other'`)).toEqual([
      { answer_text: 'A sign' },
    ]);
  });

  test.each<[string, object]>([
    ['as a field', { national_id: '12.345.678-5' }],
    ['as a field of the customer', { customer: { external_ref: 'eva-1', national_id: '12.345.678-5' } }],
    ['as the reference', { customer: { external_ref: '12.345.678-5', email: 'x@example.test' } }],
    ['in the text', { answer_text: 'my id is 12345678-5' }],
    ['after a number with a wrong check digit', { answer_text: '12345678-4, no, 12345678-5' }],
  ])('refuses a national id %s [part-011]', async (_, body) => {
    const shop = await open();
    await shop.send();
    expect(await shop.declare({ customer: { external_ref: 'eva-1' }, ...body })).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_parameter' } },
    });
    expect(await shop.touches()).toEqual([]);
  });

  test('an answer is ignored if a visit in the window came from the same source', async () => {
    const shop = await open();
    const { outcomeId } = await shop.send({ occurred_at: day(9) });
    await shop.visit(day(7), { channel: 'paid_social', source: 'instagram' });
    await shop.declare({ customer: { external_ref: 'eva-1' } });
    await shop.attribute();
    expect(await shop.paths()).toEqual({ [outcomeId]: ['paid_social instagram'] });
    await shop.settle();
    expect(await shop.paths()).toEqual({ [outcomeId]: ['paid_social instagram'] });
  });
});

describe('a declared source together with a known ad', () => {
  test('takes no credit from the ad under any model, and gets credit if only direct visits are known', async () => {
    const shop = await open();
    const { outcomeId } = await shop.send({ occurred_at: day(9) });
    const { outcomeId: direct } = await shop.send({ occurred_at: day(9), user_traits: { external_id: 'ana' } });
    // The chatbot asks after the click, so the answer comes last.
    await shop.refer(shop.referral({ ctwa_clid: 'ARxyz', occurred_at: day(4) }));
    await shop.declare({ customer: { external_ref: 'eva-1' } });
    await shop.declare({ customer: { external_ref: 'ana' } });
    await shop.attribute();
    const paths = { [outcomeId]: ['paid_social facebook'], [direct]: ['organic_social instagram'] };
    expect(await shop.paths()).toEqual(paths);
    await shop.settle();
    expect(await shop.paths()).toEqual(paths);
    const entity = shop.entity('ad', ad);
    for (const model of attributionModelNames) {
      const range = `date_from=2026-03-01&date_to=2026-03-31&model=${model}`;
      const { body } = await shop.ask(`/api/v1/campaigns/${entity}/conversions?level=ad&${range}`);
      expect([model, body.data?.length]).toEqual([model, 1]);
    }
  });
});

test('a visit is a touch of each level of its ad, by its own ids', () => {
  const [session, campaign, adSet, adId] = ['s', 'c', 'set', 'ad'];
  const row = {
    touch_id: 't',
    at: '1000',
    visitor_id: 'v',
    session_id: session,
    channel: 'paid_social',
    source: 'instagram',
    medium: 'paid',
    platform: 'social_ads',
    campaign_id: campaign,
    ad_set_id: adSet,
    ad_id: adId,
    click_id_kind: '',
    click_mark: '0',
  };
  const ids = { sessionId: session, campaignId: campaign, adSetId: adSet, adId };
  expect(visitTouch(row)).toMatchObject(ids);
  for (const [column, name] of [
    ['session_id', 'sessionId'],
    ['campaign_id', 'campaignId'],
    ['ad_set_id', 'adSetId'],
    ['ad_id', 'adId'],
  ] as const)
    expect(visitTouch({ ...row, [column]: nilUuid })).toMatchObject({ ...ids, [name]: null });
});

describe('POST /partner/ad-referrals', () => {
  test('a referral is a touch of the ad at its own time and creates no outcome; a repeat is a duplicate [part-012][part-013][part-014][part-016]', async () => {
    const shop = await open();
    const { outcomeId: before } = await shop.send({ occurred_at: day(3) });
    const { outcomeId: after } = await shop.send({ occurred_at: day(9) });
    await shop.attribute();
    const referral = shop.referral({ ctwa_clid: 'ARxyz' });
    const first = await shop.refer(referral);
    expect(first).toMatchObject({
      status: 200,
      body: {
        data: { results: [{ status: 'recorded', customer_key: 'eva-1' }], summary: { recorded: 1, duplicate: 0 } },
      },
    });
    expect(await shop.waiting()).toEqual([after]);
    const repeated = await shop.refer({ referrals: [referral, { ...referral, occurred_at: day(1) }] });
    const [{ touch_id }] = first.body.data.results;
    expect(repeated.body.data).toMatchObject({
      results: [
        { touch_id, status: 'duplicate' },
        { touch_id, status: 'duplicate' },
      ],
      summary: { recorded: 0, duplicate: 2 },
    });
    await shop.attribute();
    const paths = { [before]: [], [after]: ['paid_social facebook'] };
    expect(await shop.paths()).toEqual(paths);
    await shop.settle();
    expect(await shop.paths()).toEqual(paths);
    expect(await shop.rows(sql`SELECT count(*)::int AS n FROM outcomes`)).toEqual([{ n: 2 }]);

    const range = 'date_from=2026-03-01&date_to=2026-03-31';
    const entity = shop.entity('ad', ad);
    const { body: credited } = await shop.ask(`/api/v1/campaigns/${entity}/conversions?level=ad&${range}`);
    expect(credited.data).toMatchObject([{ conversion_id: expect.anything(), path: [{ channel: 'paid_social' }] }]);

    const projected = await shop.ask('/api/v1/customers/journey?customer_key=eva-1&limit=50', shop.projected);
    expect(projected.body.data.events).toContainEqual(
      expect.objectContaining({
        kind: 'ad_referral',
        occurred_at: day(5),
        ad_external_id: ad,
        click_id_kind: 'ctwa_clid',
        join_method: 'ad_referral',
        credit: expect.objectContaining({ last_touch: expect.anything() }),
      }),
    );
  });

  test('another profile’s ad is 422 unknown_ad, and nothing of the request is recorded [part-015][err-100]', async () => {
    const shop = await open();
    await shop.send();
    expect(await shop.refer({ referrals: [shop.referral(), shop.referral({ ad_id: '999' })] })).toMatchObject({
      status: 422,
      body: { error: { code: 'unknown_ad' } },
    });
    expect(await shop.touches()).toEqual([]);
    expect((await shop.refer(shop.referral({ customer: { external_ref: 'nobody' } }))).body.error.code).toBe(
      'unknown_customer_ref',
    );
    expect((await shop.refer(shop.referral({ occurred_at: '2999-01-01T00:00:00Z' }))).status).toBe(422);
  });

  test('is ignored if a visit came from the same ad', async () => {
    const shop = await open();
    const { outcomeId } = await shop.send({ occurred_at: day(9) });
    await shop.visit(day(2), { channel: 'paid_social', source: 'facebook', ad_id: shop.entity('ad', ad) });
    await shop.refer(shop.referral());
    await shop.attribute();
    expect(await shop.paths()).toEqual({ [outcomeId]: ['paid_social facebook'] });
  });
});

describe('POST /partner/ad-referrals/preview', () => {
  const models = (n: number) => Object.fromEntries(attributionModelNames.map((model) => [model, n]));

  test('counts for each model the conversions that a batch would recredit, and writes nothing [part-017][part-018][part-019]', async () => {
    const shop = await open();
    await shop.send({ occurred_at: day(3) });
    await shop.send({ occurred_at: day(9) });
    const { outcomeId } = await shop.send({ occurred_at: day(8), user_traits: { external_id: 'ana' } });
    // A customer with visits before and after the referral: neither the first nor the last touch changes.
    await shop.visit(day(2), { channel: 'email', source: 'newsletter' });
    await shop.visit(day(6), { channel: 'email', source: 'newsletter' });
    await shop.attribute();
    const before = await shop.paths();
    const customer = { external_ref: 'ana' };
    const batch = {
      referrals: [
        shop.referral(),
        shop.referral({ customer }),
        shop.referral({ customer: { external_ref: 'new', email: 'new@example.test' } }),
      ],
    };
    expect(await shop.preview(batch)).toEqual({
      status: 200,
      body: {
        data: {
          conversions_recredited: { ...models(2), first_touch: 1, last_touch: 1, last_non_direct: 1 },
          is_complete: true,
        },
        meta: expect.anything(),
      },
    });
    expect(await shop.touches()).toEqual([]);
    expect(await shop.waiting()).toEqual([]);
    expect(await shop.rows(sql`SELECT FROM identifiers WHERE value = 'new'`)).toEqual([]);
    // Recording the batch has the previewed effect.
    await shop.refer(batch);
    await shop.attribute();
    const after = await shop.paths();
    expect(Object.keys(after).filter((id) => after[id]?.length !== before[id]?.length)).toHaveLength(2);
    expect(after[outcomeId]).toEqual(['paid_social facebook']);
    expect((await shop.preview(batch)).body.data.conversions_recredited).toEqual(models(0));
    expect((await shop.preview({ referrals: [shop.referral({ ad_id: '999' })] })).body.error.code).toBe('unknown_ad');
  });

  test('accepts 500 referrals, and refuses 501 [part-020][lim-014]', async () => {
    const shop = await open();
    await shop.send();
    const most = limits.adReferrals.maxRows;
    expect(most).toBe(500);
    const batch = (length: number) => ({ referrals: Array.from({ length }, () => shop.referral()) });
    expect((await shop.preview(batch(most))).status).toBe(200);
    expect((await shop.preview(batch(most + 1))).status).toBe(422);
    expect((await shop.refer(batch(most + 1))).status).toBe(422);
  });
});
