import { openTestWithClickHouse, type Scene, type SceneTraits, scene } from '@tributary/testkit';
import { describe, expect, test } from 'vitest';

const world = await openTestWithClickHouse();

const patient = { external_id: 'patient@canary.example', national_id: '12345678-5' };
const opaque = { external_id: 'c-17', national_id: '12345678-5' };

/** A shop with one customer, recorded by a caller with access to personal data. */
async function open(traits: object, about: SceneTraits = {}) {
  const shop = await scene(world, about);
  const { outcomeId } = await shop.send({ user_traits: traits });
  return { ...shop, outcomeId, writer: await shop.keyWith('attribution:write') };
}
type Shop = Awaited<ReturnType<typeof open>>;

/** The customer key in every response that may contain it, requested by another identifier. */
async function readKeys(shop: Shop, writer = shop.writer, reader = shop.projected) {
  const { national_id } = opaque;
  const event = { event_name: 'lead_created', user_traits: { national_id } };
  const one = await shop.ask('/api/v1/events', writer, 'POST', event);
  const many = await shop.ask('/api/v1/events', writer, 'POST', { events: [event, event] });
  const named = { identifier_type: 'national_id', identifier_value: national_id };
  const tokens = await shop.ask('/api/v1/customers/link-tokens', writer, 'POST', { customers: [named] });
  const journey = await shop.ask(`/api/v1/conversions/${shop.outcomeId}/journey?view=projection`, reader);
  const erased = await shop.ask('/api/v1/customers/erasures', writer, 'POST', { request_ref: 'r', ...named });
  const receipt = await shop.ask(`/api/v1/customers/erasures/${erased.body.data.erasure_id}`, reader);
  return {
    event: one.body.data.customer_key,
    batch: many.body.data.results.map((row: { customer_key: string }) => row.customer_key),
    token: tokens.body.data.results[0].customer_key,
    journey: journey.body.meta.conversion.customer_key,
    erasure: erased.body.data.customer_key,
    receipt: receipt.body.data.customer_key,
  };
}

const inAllResponses = (key: string | null) => ({
  event: key,
  batch: [key, key],
  token: key,
  journey: key,
  erasure: key,
  receipt: key,
});

const accesses = async (shop: Scene) =>
  (await shop.accesses()).toReversed().map(({ operation, people }) => `${operation} ${people}`);

describe('a caller without customers:read', () => {
  test('gets an opaque key, and each disclosure is in the data access log', async () => {
    const shop = await open(opaque);
    expect(await readKeys(shop)).toEqual(inAllResponses('c-17'));
    expect(await accesses(shop)).toEqual([
      'createEvent 1',
      'createEvent 1',
      'createLinkTokens 1',
      'readConversionJourney 1',
      'createErasure 1',
      'readErasure 1',
    ]);
  });

  test.each(['patient@canary.example', '+56 9 1234 5678', '56912345678', '11.111.111-1'])(
    'gets no key like %s, even if the request contained it',
    async (external_id) => {
      const shop = await open({ ...opaque, external_id });
      expect(await readKeys(shop)).toEqual(inAllResponses(null));
      const event = { event_name: 'lead_created', user_traits: { external_id } };
      const { body } = await shop.ask('/api/v1/events', shop.writer, 'POST', event);
      expect(body.data.customer_key).toBeNull();
      expect(await accesses(shop)).toEqual(['readConversionJourney 0', 'createErasure 1']);
    },
  );

  test('gets no key on a healthcare-family profile for a national id, and an opaque one with a conversion', async () => {
    for (const [traits, journey] of [
      [patient, null],
      [opaque, 'c-17'],
    ] as const) {
      const shop = await open(traits, { privacyMode: 'hipaa' });
      expect(await readKeys(shop)).toEqual({ ...inAllResponses(null), journey });
      expect(await accesses(shop)).toEqual([`readConversionJourney ${journey ? 1 : 0}`, 'createErasure 1']);
    }
  });

  test('gets opaque keys with the payments of a healthcare-family profile, but none that is personal data', async () => {
    for (const [external_id, key] of [
      ['pat-1', 'pat-1'],
      ['patient@canary.example', null],
    ] as const) {
      const shop = await scene(world, { privacyMode: 'hipaa' });
      await shop.send({
        event_name: 'payment_received',
        idempotency_key: 'p-1',
        occurred_at: world.kit.clock.now().toISOString(),
        properties: { value: 100, currency: 'USD' },
        user_traits: { external_id },
      });
      const reader = await shop.keyWith('commerce:read');
      const day = world.kit.clock.now().toISOString().slice(0, 10);
      const { body } = await shop.ask(`/api/v1/payments?from=${day}&to=${day}`, reader);
      expect(body.error).toBeUndefined();
      expect(body.data.map((row: { customer_key: string }) => row.customer_key)).toEqual([key]);
    }
  });

  test('gets a key that the request itself contained, which is not logged as a disclosure', async () => {
    const shop = await open(opaque, { privacyMode: 'hipaa' });
    const event = { event_name: 'lead_created', user_traits: opaque };
    const response = await shop.ask('/api/v1/events', shop.writer, 'POST', event);
    expect(response.body.data.customer_key).toBe('c-17');
    const journey = await shop.ask('/api/v1/customers/journey?customer_key=c-17', shop.projected);
    expect(journey.body.meta.conversion.customer_key).toBe('c-17');
    expect(await accesses(shop)).toEqual(['readJourneyByKey 0']);
  });
});

test('a caller with customers:read gets every key, and it is logged', async () => {
  const shop = await open(patient);
  const all = await shop.keyWith('attribution:write', 'conversions:read', 'customers:read');
  expect(await readKeys(shop, all, all)).toEqual(inAllResponses('patient@canary.example'));
  expect(await accesses(shop)).toHaveLength(6);
});

test('a key is not sent if the profile switches to healthcare before the response leaves', async () => {
  const shop = await open(opaque);
  const [switched, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const switching = world.kit.app.forProfile(shop.profileId).transaction(async (tx) => {
    await tx.updateTable('profiles').set({ privacy_mode: 'hipaa' }).execute();
    switched.resolve();
    await go.promise;
  });
  await switched.promise;
  const { national_id } = opaque;
  const pending = shop.ask('/api/v1/events', shop.writer, 'POST', { event_name: 'x', user_traits: { national_id } });
  await expect.poll(async () => (await accesses(shop)).length).toBe(1);
  go.resolve();
  await switching;
  const { status, body } = await pending;
  expect([status, body.error.code]).toEqual([403, 'insufficient_scope']);
});
