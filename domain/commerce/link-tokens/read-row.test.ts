import { mergeConfirmed } from '@tributary/domain/commerce/customers';
import { openTest, testTombstones } from '@tributary/testkit';
import { v4 as uuid } from 'uuid';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Minter, openMinter } from './link-tokens.fixture.ts';

const world = await openTest();
const { kit } = world;
let shop: Minter;
beforeEach(async () => {
  shop = await openMinter(world);
});

test('[link-027] an unparseable selector makes the row invalid, even with other valid selectors', async () => {
  await shop.sendEvent('e1', { external_id: 'key-1', email: 'ana@example.cl' });
  for (const unparseable of [
    { email: 'bad' },
    { phone: '1' },
    { identifier_type: 'shoe_size', identifier_value: '43' },
  ])
    expect(await shop.mintOne({ customer_key: 'key-1', ...unparseable })).toMatchObject({ status: 'invalid' });
  expect(await shop.mintOne({ customer_key: 'key-1', email: 'ana@example.cl' })).toMatchObject({ status: 'minted' });
});

describe('a row selects a customer', () => {
  const traits = {
    external_id: 'key-1',
    crm_contact_id: 'crm-1',
    store_customer_id: 'store-1',
    payments_customer_id: 'pay-1',
    national_id: '12.345.678-5',
    email: 'ana@example.cl',
    phone: '+56 9 1234 5678',
  };
  /** Expects that all rows resolve to the same customer and return its key. */
  const expectAna = async (...customers: object[]) => {
    await shop.sendEvent('e1', traits);
    const ana = await shop.mintOne({ customer_key: 'key-1' });
    for (const row of await shop.mint(...customers))
      expect(row).toMatchObject({
        status: 'minted',
        customer_key: 'key-1',
        customer_profile_id: ana.customer_profile_id,
      });
    return ana.customer_profile_id as string;
  };

  test('[link-004][link-022] by the caller’s key, as customer_key or as identifier', () =>
    expectAna({ customer_key: 'key-1' }, { identifier_type: 'external_customer_id', identifier_value: 'key-1' }));

  test('[link-021] by customer id', async () => {
    const id = await expectAna({ customer_key: 'key-1' });
    await expectAna({ customer_profile_id: id }, { customer_profile_id: id.toUpperCase() });
  });

  test('[link-023] by email, in any case', () => expectAna({ email: 'ana@example.cl' }, { email: ' ANA@Example.CL' }));

  test('[link-024] by phone number, in any format', () =>
    expectAna({ phone: '+56912345678' }, { phone: '9 1234 5678' }));

  test('[link-025] by each of the five kinds of identifier', () =>
    expectAna(
      { identifier_type: 'external_customer_id', identifier_value: 'key-1' },
      { identifier_type: 'crm_contact_id', identifier_value: 'crm-1' },
      { identifier_type: 'store_customer_id', identifier_value: 'store-1' },
      { identifier_type: 'payments_customer_id', identifier_value: 'pay-1' },
      { identifier_type: 'national_id', identifier_value: '12.345.678-5' },
    ));

  test('[link-026] by RUT, in any format', () =>
    expectAna(
      ...['12.345.678-5', '12345678-5', '123456785', '12 345 678 5'].map((identifier_value) => ({
        identifier_type: 'national_id',
        identifier_value,
      })),
    ));

  test('[link-019] by phone without country code, in the given `country`', async () => {
    await shop.importRow({ phone: '+54 11 2345 6789' });
    const customers = [{ phone: '11 2345 6789' }];
    const statusIn = async (country: string) =>
      (await shop.requestTokens({ customers, country })).json().data.results[0].status;
    expect(await statusIn('AR')).toBe('minted');
    expect(await statusIn('CL')).not.toBe('minted');
  });

  test('[link-020] by the first selector in the documented order', async () => {
    const names = ['id', 'key', 'email', 'phone', 'identifier'];
    const minted = [];
    for (const name of names) {
      await shop.sendEvent(name, {
        external_id: `key-${name}`,
        email: `${name}@example.cl`,
        crm_contact_id: `crm-${name}`,
      });
      minted.push(await shop.mintOne({ customer_key: `key-${name}` }));
    }
    await shop.sendEvent('phone', { external_id: 'key-phone', phone: '+56 9 1234 5678' });
    const row = {
      customer_profile_id: minted[0]?.customer_profile_id,
      customer_key: 'key-key',
      email: 'email@example.cl',
      phone: '+56 9 1234 5678',
      identifier_type: 'crm_contact_id',
      identifier_value: 'crm-identifier',
    };
    const shorter = Object.keys(row)
      .slice(0, 5)
      .map((_, from) => Object.fromEntries(Object.entries(row).slice(from)));
    const chosen = (await shop.mint(...shorter)).map(({ customer_key }) => customer_key);
    expect(chosen).toEqual(names.map((name) => `key-${name}`));
  });

  test('[link-005] by the identifiers of either merged customer, returning the survivor and its key', async () => {
    await shop.sendEvent('e1', { external_id: 'elder', email: 'elder@example.cl' });
    const elder = await shop.mintOne({ customer_key: 'elder' });
    kit.clock.advance(1_000);
    await shop.sendEvent('e2', { external_id: 'younger', phone: '+56 9 1234 5678' });
    const younger = await shop.mintOne({ customer_key: 'younger' });
    expect(younger.customer_profile_id).not.toBe(elder.customer_profile_id);
    await shop.sendEvent('e3', { external_id: 'younger', email: 'elder@example.cl' });
    const pair = {
      one: String(elder.customer_profile_id),
      other: String(younger.customer_profile_id),
      kind: 'email',
    } as const;
    const evidence = { source: 'confirmed', saidAt: kit.clock.now(), requestId: uuid(), confirmedBy: 'test' };
    await kit.app
      .forProfile(shop.profileId)
      .transaction((tx) => mergeConfirmed(tx, shop.profileId, pair, evidence, testTombstones));
    const rows = await shop.mint({ customer_key: 'younger' }, { customer_profile_id: younger.customer_profile_id });
    for (const row of rows)
      expect(row).toMatchObject({ customer_key: 'elder', customer_profile_id: elder.customer_profile_id });
    expect(shop.opened(rows[1]?.token)?.customerId).toBe(elder.customer_profile_id);
  });
});

describe('results of rows without a token', () => {
  const unknownRows = () => [
    { customer_profile_id: uuid() },
    { customer_key: 'nobody' },
    { email: 'nobody@example.cl' },
    { phone: '+56 9 8765 4321' },
    { identifier_type: 'national_id', identifier_value: '11.111.111-1' },
  ];

  test('[link-032][link-033][link-056] returns not_found in a 200 when no customer matches', async () => {
    const response = await shop.requestTokens({ customers: unknownRows() });
    expect(response.statusCode).toBe(200);
    for (const row of response.json().data.results)
      expect(row).toMatchObject({ status: 'not_found', reason: 'no_match' });
  });

  test('[link-011][link-012] have a reason and an English message', async () => {
    for (const row of await shop.mint(...unknownRows()))
      expect(row).toMatchObject({ reason: 'no_match', message: expect.stringMatching(/^Nobody .*\.$/) });
    expect(await shop.mintOne({})).toMatchObject({
      reason: 'no_selector',
      message: expect.stringMatching(/^[A-Z].*\.$/),
    });
  });

  test('[link-034][link-047] have no token, and no customer is created', async () => {
    const before = await shop.countCustomers();
    for (const row of await shop.mint(...unknownRows()))
      for (const field of ['token', 'expires_at', 'customer_profile_id']) expect(row).not.toHaveProperty(field);
    expect(await shop.countCustomers()).toBe(before);
  });

  test('[link-006] contain the sent key or null', async () => {
    const rows = await shop.mint(
      { customer_key: 'nobody' },
      { customer_profile_id: 'no-uuid', customer_key: 'key-2' },
      { identifier_type: 'external_customer_id', identifier_value: 'key-3' },
      { email: 'nobody@example.cl' },
      {},
    );
    expect(rows.map(({ customer_key }) => customer_key)).toEqual(['nobody', 'key-2', 'key-3', null, null]);
  });

  test('a customer of another profile is not_found', async () => {
    const foreignId = await shop.importRow({ email: 'ana@example.cl' });
    const other = await openMinter(world);
    for (const row of await other.mint({ customer_profile_id: foreignId }, { email: 'ana@example.cl' }))
      expect(row).toMatchObject({ status: 'not_found', reason: 'no_match' });
  });

  test('[link-038] rows without a selector are invalid with no_selector', async () => {
    for (const row of await shop.mint({}, { email: null }, 'ana@example.cl', null, 7, { name: 'Ana' }))
      expect(row).toMatchObject({ status: 'invalid', reason: 'no_selector' });
  });

  test('only the row with an unknown field is invalid, with a suggestion for the field', async () => {
    await shop.sendEvent('e1', { external_id: 'key-1', email: 'ana@example.cl' });
    const rows = await shop.mint({ customer_key: 'key-1', emial: 'ana@example.cl' }, { customer_key: 'key-1' });
    expect(rows).toMatchObject([
      { status: 'invalid', reason: 'malformed_selector', message: 'Unknown field `emial`. Did you mean `email`?' },
      { status: 'minted' },
    ]);
  });

  test('[link-039] an unknown identifier_type is invalid with unknown_identifier_type', async () => {
    for (const identifier_type of ['email', 'wa_id', 'External_Customer_Id', '', 7])
      expect(await shop.mintOne({ identifier_type, identifier_value: 'x' })).toMatchObject({
        status: 'invalid',
        reason: 'unknown_identifier_type',
      });
    expect(await shop.mintOne({ identifier_value: 'x' })).toMatchObject({ reason: 'unknown_identifier_type' });
  });

  test('[link-027][link-040][link-041] an unparseable selector is invalid with malformed_selector, even with other valid selectors', async () => {
    await shop.importRow({ email: 'ana@example.cl', external_id: 'key-1' });
    const good = { email: 'ana@example.cl', identifier_type: 'external_customer_id', identifier_value: 'key-1' };
    const rows = await shop.mint(
      { ...good, customer_profile_id: 'no-uuid' },
      { ...good, customer_profile_id: 12 },
      { ...good, customer_key: '' },
      { ...good, customer_key: 'a\u0000b' },
      { ...good, email: 'ana@' },
      { ...good, email: ['ana@example.cl'] },
      { phone: '12', identifier_type: 'external_customer_id', identifier_value: 'key-1' },
      { identifier_type: 'national_id', identifier_value: '12.345.678-4' },
      { identifier_type: 'external_customer_id' },
    );
    for (const row of rows) expect(row).toMatchObject({ status: 'invalid', reason: 'malformed_selector' });
  });
});
