import { errors } from '@tributary/contract';
import { conversionIdOf } from '@tributary/rules';
import { at, openTestWithClickHouse, scene } from '@tributary/testkit';
import { v4 as anyUuid } from 'uuid';
import { beforeAll, describe, expect, test } from 'vitest';

const world = await openTestWithClickHouse();

const shop = (traits = {}) => scene(world, traits);
const by = (query: Record<string, string>) => `/api/v1/customers/journey?${new URLSearchParams(query)}`;
const behind = (handle: string) => `/api/v1/conversions/${encodeURIComponent(handle)}/journey`;
const canaries = /eva@|eva-1|Soto|\+569|shop\.example|Santiago|Firefox|Android|mobile|payment_received|session/;

/** A customer who visited three times, paid, visited again and paid again. */
async function openStory(traits = {}) {
  const profile = await shop(traits);
  const event = {
    user_traits: {
      email: 'eva@example.test',
      phone: '+56912345678',
      external_id: 'eva-1',
      first_name: 'Eva',
      last_name: 'Soto',
    },
  };
  const first = await profile.send({ ...event, occurred_at: at(20), idempotency_key: 'order 1/a' });
  const second = await profile.send({ ...event, occurred_at: at(40) });
  const visitorId = anyUuid();
  await profile.link(visitorId, first.customerId);
  for (const [index, day] of [1, 10, 19, 30].entries()) {
    const { visit_id } = await profile.visit({
      visitor_id: visitorId,
      occurred_at: at(day),
      campaign_external_id: index === 1 ? '' : '101',
    });
    await profile.touch({
      visitor_id: visitorId,
      occurred_at: at(day),
      touch_id: visit_id,
      channel: index === 2 ? 'direct' : 'paid_search',
      click_id_kind: 'gclid',
      join_method: 'url_parameters',
    });
  }
  // Not a touch: a page in the middle of a session.
  await profile.visit({ visitor_id: visitorId, occurred_at: at(19.5) });
  await profile.attribute();
  return { ...profile, visitorId, customerId: first.customerId, firstId: first.outcomeId, secondId: second.outcomeId };
}
type Story = Awaited<ReturnType<typeof openStory>>;

describe('with customers:read', () => {
  let story: Story;
  beforeAll(async () => {
    story = await openStory();
  });

  test.each([
    ['[jour-028] [jour-030] their customer key', { customer_key: 'eva-1' }],
    ['[jour-031] their e-mail address', { email: ' Eva@Example.test' }],
    ['[jour-032] their phone number', { phone: '9 1234 5678' }],
  ])('finds a customer by %s', async (_, query) => {
    const { status, body } = await story.ask(by(query as Record<string, string>));
    expect(status).toBe(200);
    expect(body.data.total_count).toBe(7);
    expect(body.meta.person.customer_profile_id).toBe(story.customerId);
  });

  test('[jour-037] [jour-038] returns the journey and the person', async () => {
    const own = await story.ask(`/api/v1/customers/${story.customerId}/journey`);
    const { body } = await story.ask(by({ customer_key: 'eva-1' }));
    expect(body.data).toEqual(own.body.data);
    expect(body.meta).toEqual({
      profile_id: story.profileId,
      person: {
        customer_profile_id: story.customerId,
        name: 'Eva Soto',
        identifiers: expect.arrayContaining([
          { kind: 'email', value: 'eva@example.test' },
          { kind: 'phone', value: '+56912345678' },
          { kind: 'external_customer_id', value: 'eva-1' },
        ]),
        counts: { events: 7, conversions: 2, browsers: 1 },
        conversions: [story.secondId, story.firstId].map((outcomeId, index) => ({
          conversion_id: conversionIdOf(outcomeId),
          conversion_type: 'payment_received',
          event_name: 'payment_received',
          occurred_at: at(40 - 20 * index),
          value_amount: 100,
          currency: 'USD',
          revenue_type: 'cash',
        })),
      },
    });
  });

  test.each([
    ['[jour-034] the outcome_event_id', () => story.firstId],
    ['[jour-035] the conversion’s id', () => conversionIdOf(story.firstId)],
    ['[jour-036] the caller’s own key', () => 'order 1/a'],
  ])('[jour-029] finds a conversion by %s and returns the events up to it', async (_, handle) => {
    const { status, body } = await story.ask(behind(handle()));
    expect(status).toBe(200);
    expect(body.data.events.map((event: { event_time: string }) => event.event_time)).toEqual(
      [1, 10, 19, 19.5, 20].map(at),
    );
    expect(body.data.total_count).toBe(5);
    expect(body.meta.person.name).toBe('Eva Soto');
  });

  test('returns the browser’s events for an anonymous conversion', async () => {
    const profile = await shop();
    const visitorId = anyUuid();
    await profile.visit({ visitor_id: visitorId, occurred_at: at(1) });
    const { outcomeId } = await profile.send({ event_name: 'lead_created', properties: {}, user_traits: {} });
    const alone = await profile.ask(behind(outcomeId));
    expect([alone.body.data.total_count, alone.body.meta.person.customer_profile_id]).toEqual([1, null]);
    await profile.ledger.transaction((tx) =>
      tx.updateTable('outcomes').set({ visitor_id: visitorId }).where('id', '=', outcomeId).execute(),
    );
    const { body } = await profile.ask(behind(outcomeId));
    expect(body.data.total_count).toBe(2);
    expect(body.meta.person).toMatchObject({ name: null, identifiers: [], counts: { conversions: 1, browsers: 0 } });
  });

  test('returns at most the newest 50 conversions and the count of all', async () => {
    const profile = await shop();
    await profile.post('/api/v1/events', {
      events: Array.from({ length: 53 }, (_, index) => ({
        event_name: 'payment_received',
        idempotency_key: `p-${index}`,
        occurred_at: at(index / 10),
        properties: { value: index + 1, currency: 'USD' },
        user_traits: { external_id: 'many' },
      })),
    });
    const { body } = await profile.ask(by({ customer_key: 'many' }));
    expect(body.meta.person.counts.conversions).toBe(53);
    expect(body.meta.person.conversions).toHaveLength(50);
    expect(body.meta.person.conversions[0].value_amount).toBe(53);
  });
});

describe('without customers:read, also on a healthcare-family profile', () => {
  test.each(['standard', 'hipaa'] as const)(
    '[auth-021] [jour-039] [jour-040] [jour-041] on a %s profile, returns a projection with credit and window',
    async (privacyMode) => {
      const story = await openStory({ privacyMode });
      const { status, body } = await story.ask(behind(story.firstId), story.projected);
      expect(status).toBe(200);
      const nothing = {
        last_touch: 0,
        first_touch: 0,
        last_non_direct: 0,
        linear: 0,
        time_decay: 0,
        position_based: 0,
      };
      const share = (more: object) => ({
        ...nothing,
        linear: expect.closeTo(1 / 3, 3),
        time_decay: expect.any(Number),
        ...more,
      });
      const noNames = { campaign_name: null, ad_set_name: null, ad_name: null };
      const touch = {
        kind: 'visit',
        channel: 'paid_search',
        campaign_external_id: '101',
        ad_set_external_id: '202',
        ad_external_id: '303',
        ...noNames,
        click_id_kind: 'gclid',
        join_method: 'url_parameters',
        in_window: true,
      };
      expect(body).toEqual({
        data: {
          events: [
            { ...touch, occurred_at: at(1), credit: share({ first_touch: 1, position_based: 0.4 }) },
            {
              ...touch,
              occurred_at: at(10),
              campaign_external_id: null,
              credit: share({ last_non_direct: 1, position_based: 0.2 }),
            },
            { ...touch, occurred_at: at(19), channel: 'direct', credit: share({ last_touch: 1, position_based: 0.4 }) },
            {
              occurred_at: at(20),
              kind: 'conversion',
              channel: null,
              campaign_external_id: null,
              ad_set_external_id: null,
              ad_external_id: null,
              ...noNames,
              click_id_kind: null,
              join_method: null,
              credit: {},
              in_window: true,
            },
          ],
          total_count: 4,
        },
        meta: {
          profile_id: story.profileId,
          // An opaque key is shown on every profile; one that looks like personal data is not.
          conversion: { conversion_id: conversionIdOf(story.firstId), customer_key: 'eva-1' },
        },
      });
      const { conversion: _key, ...meta } = body.meta;
      expect(JSON.stringify({ data: body.data, meta })).not.toMatch(canaries);
    },
  );

  test('by key, returns the whole timeline, credited for the newest conversion', async () => {
    const story = await openStory();
    const { body } = await story.ask(by({ customer_key: 'eva-1' }), story.projected);
    expect(body.meta.conversion).toEqual({ conversion_id: conversionIdOf(story.secondId), customer_key: 'eva-1' });
    expect(body.meta.person).toBeUndefined();
    expect(body.data.total_count).toBe(6);
    expect(body.data.events.map((event: { credit: { last_touch?: number } }) => event.credit.last_touch)).toEqual([
      0,
      0,
      0,
      undefined,
      1,
      undefined,
    ]);
    const { events } = await story.pages(by({ customer_key: 'eva-1' }), 2, story.projected);
    expect(events).toEqual(body.data.events);
  });

  test('a conversion that names its ad also represents the touch, so the credit adds up', async () => {
    const profile = await shop();
    const lead = {
      event_name: 'lead_created',
      properties: {},
      ad_id: '120210987654321',
      click_ids: { ctwa_clid: 'ARxyz' },
    };
    await profile.send({ ...lead, occurred_at: at(5) });
    const { outcomeId } = await profile.send({ occurred_at: at(9) });
    await profile.attribute();
    const { body } = await profile.ask(behind(outcomeId), profile.projected);
    expect(body.data.events).toMatchObject([
      {
        kind: 'synthetic',
        channel: 'paid_social',
        ad_external_id: '120210987654321',
        click_id_kind: 'ctwa_clid',
        join_method: 'event_ad_id',
        credit: { last_touch: 1, first_touch: 1, linear: 1, time_decay: 1, position_based: 1, last_non_direct: 1 },
        in_window: true,
      },
      { kind: 'conversion', channel: null, credit: {} },
    ]);
    expect(JSON.stringify(body)).not.toContain('ARxyz');
  });

  test('a conversion that is not attributed yet has no credit; without a value it still has shares', async () => {
    const profile = await shop();
    const { customerId, outcomeId } = await profile.send({ event_name: 'lead_created', properties: {} });
    const visitorId = anyUuid();
    await profile.link(visitorId, customerId);
    for (const day of [1, 2]) await profile.touch({ visitor_id: visitorId, occurred_at: at(day) });
    const credits = async () =>
      (await profile.ask(behind(outcomeId), profile.projected)).body.data.events.map(
        (event: { credit: object }) => event.credit,
      );
    expect(await credits()).toEqual([{}, {}, {}]);
    await profile.attribute();
    expect(await credits()).toEqual([
      expect.objectContaining({ first_touch: 1, linear: 0.5 }),
      expect.objectContaining({ last_touch: 1, linear: 0.5 }),
      {},
    ]);
  });

  test.each([{ email: 'eva@example.test' }, { phone: '+56912345678' }])(
    '[jour-033] returns 403 insufficient_scope for %o, known or unknown, and logs the attempt',
    async (query) => {
      const story = await openStory();
      const { status, body } = await story.ask(by(query as Record<string, string>), story.projected);
      expect([status, body.error.code, body.error.required_scopes]).toEqual([
        403,
        'insufficient_scope',
        ['customers:read'],
      ]);
      expect((await story.accesses())[0]).toEqual({ operation: 'readJourneyByKey', people: 0, result: 'refused' });
    },
  );

  test('returns the same projection to callers with customers:read who request it', async () => {
    const story = await openStory();
    const { body } = await story.ask(behind(story.firstId), story.projected);
    const projection = await story.ask(`${behind(story.firstId)}?view=projection`);
    expect(projection.body).toEqual(body);
    expect((await story.accesses())[0]).toEqual({ operation: 'readConversionJourney', people: 1, result: 'served' });
    const again = await story.ask(`${behind(story.firstId)}?view=projection`, story.projected);
    expect(again.body).toEqual(body);
    const other = await story.ask(`${behind(story.firstId)}?view=person`);
    expect(other.status).toBe(400);
  });

  test('logs reads of the projection by the caller’s own key as showing no person', async () => {
    const story = await openStory();
    await story.ask(by({ customer_key: 'eva-1' }));
    await story.ask(by({ customer_key: 'eva-1' }), story.projected);
    expect(await story.accesses()).toEqual([
      { operation: 'readJourneyByKey', people: 0, result: 'served' },
      { operation: 'readJourneyByKey', people: 1, result: 'served' },
    ]);
  });
});

describe('returns 404', () => {
  test('[jour-042] [jour-044] [jour-046] for an unknown key and a key of another profile', async () => {
    const [story, other] = [await openStory(), await shop()];
    await other.send({ user_traits: { external_id: 'theirs' } });
    for (const customer_key of ['nobody', 'theirs']) {
      for (const headers of [story.full, story.projected]) {
        const { status, body } = await story.ask(by({ customer_key }), headers);
        expect([status, body.error.code]).toEqual([404, 'customer_not_found']);
      }
    }
    expect(
      new Set(['customer_not_found', 'conversion_not_found', 'not_found']).isSubsetOf(new Set(Object.keys(errors))),
    ).toBe(true);
  });

  test('[jour-043] [eras-030] for the key of an erased customer; their events stay without personal data', async () => {
    const story = await openStory();
    await story.ask(`/api/v1/customers/${story.customerId}/journey-summary`, story.full, 'POST');
    await story.post('/api/v1/customers/erasures', { request_ref: 'ticket-1', customer_key: 'eva-1' });
    for (const query of [{ customer_key: 'eva-1' }, { email: 'eva@example.test' }, { phone: '+56912345678' }]) {
      const { status, body } = await story.ask(by(query as Record<string, string>));
      expect([status, body.error.code]).toEqual([404, 'customer_not_found']);
    }
    expect((await story.ask(`/api/v1/customers/${story.customerId}/journey`)).body.data.total_count).toBe(0);
    const { body } = await story.ask(behind(story.firstId));
    expect(body.data.total_count).toBe(5);
    expect(body.meta.person).toMatchObject({ name: null, identifiers: [] });
    const projected = await story.ask(behind(story.firstId), story.projected);
    expect(projected.body.meta.conversion.customer_key).toBeNull();
    const summaries = await story.ledger.transaction((tx) => tx.selectFrom('journey_summaries').selectAll().execute());
    expect(summaries).toEqual([]);
  });

  test('[jour-045] [jour-046] [err-042] for an unknown conversion handle', async () => {
    const [story, other] = [await openStory(), await shop()];
    const { outcomeId } = await other.send({ idempotency_key: 'theirs' });
    for (const handle of [anyUuid(), 'nothing', outcomeId, 'theirs', '%', '..']) {
      const { status, body } = await story.ask(behind(handle), story.projected);
      expect([status, body.error.code], handle).toEqual([404, handle === '..' ? 'not_found' : 'conversion_not_found']);
    }
  });
});

test('returns 400 without a selector, with several, and with an invalid one', async () => {
  const story = await openStory();
  for (const query of [
    {},
    { customer_key: 'a', email: 'a@b.cl' },
    { email: 'nobody' },
    { phone: 'abc' },
    { customer_key: ' ' },
  ]) {
    const { status, body } = await story.ask(by(query as Record<string, string>));
    expect([status, body.error.code], JSON.stringify(query)).toEqual([400, 'invalid_parameter']);
  }
});
