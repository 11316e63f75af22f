import { openApi, openTest } from '@tributary/testkit';
import { linkTokenParameter } from '@tributary/vocabulary';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Minter, openMinter, type Row } from './link-tokens.fixture.ts';

const world = await openTest();
const { kit } = world;
let shop: Minter;
beforeEach(async () => {
  shop = await openMinter(world);
});

describe('200', () => {
  describe('three rows, one without selector', () => {
    let ana: string;
    let eva: string;
    let body: { status: number; data: Record<string, unknown> & { results: Row[] }; meta: object };
    beforeEach(async () => {
      [ana, eva] = [
        await shop.importRow({ email: 'ana@example.cl' }),
        await shop.importRow({ email: 'eva@example.cl' }),
      ];
      const response = await shop.requestTokens({
        customers: [{ email: 'eva@example.cl' }, {}, { customer_profile_id: ana }],
      });
      body = { ...response.json(), status: response.statusCode };
    });

    test('[link-013][link-028][link-029] returns 200 with the parameter, counts, results and recipes', () => {
      expect(body).toEqual({
        status: 200,
        data: {
          param: 'svc_t',
          minted: 2,
          not_found: 0,
          invalid: 1,
          results: [expect.anything(), expect.anything(), expect.anything()],
          recipes: expect.any(Array),
        },
        meta: { profile_id: shop.profileId },
      });
    });

    test('[link-001][link-009][link-010] returns a token with its exact expiry for each valid row', () => {
      const [first, invalidRow, second] = body.data.results;
      expect(first).toEqual({
        index: 0,
        status: 'minted',
        customer_key: null,
        customer_profile_id: eva,
        token: expect.stringMatching(/^[\w-]{72}$/),
        expires_at: '2026-09-13T12:00:00.000Z',
      });
      expect(invalidRow).toEqual({
        index: 1,
        status: 'invalid',
        customer_key: null,
        reason: 'no_selector',
        message: expect.stringMatching(/\.$/),
      });
      expect(shop.opened(first?.token)?.customerId).toBe(eva);
      expect(shop.opened(second?.token)?.customerId).toBe(ana);
    });

    test('[link-002][link-003] returns index and status of each row', async () => {
      expect(body.data.results.map(({ index, status }) => [index, status])).toEqual([
        [0, 'minted'],
        [1, 'invalid'],
        [2, 'minted'],
      ]);
      expect((await shop.mintOne({ customer_key: 'nobody' })).status).toBe('not_found');
    });

    test('[link-030] counts the rows by status', async () => {
      const customers = [{ email: 'eva@example.cl' }, {}, { phone: 'x' }, { customer_key: 'nobody' }];
      const { minted, not_found, invalid } = (await shop.requestTokens({ customers })).json().data;
      expect([minted, not_found, invalid]).toEqual([1, 1, 2]);
    });
  });

  test('[link-007][link-008][ver-018] returns customer ids only to keys with customers:read', async () => {
    await shop.importRow({ email: 'ana@example.cl' });
    const writer = await shop.keyWith('attribution:write');
    const [row] = (await shop.requestTokens({ customers: [{ email: 'ana@example.cl' }] }, writer)).json().data.results;
    expect(row).toMatchObject({ status: 'minted' });
    expect(row).not.toHaveProperty('customer_profile_id');
    expect(await shop.mintOne({ email: 'ana@example.cl' })).toHaveProperty('customer_profile_id');
  });

  test('[link-017][link-018][lim-006] a token expires after 90 days, or after the requested days', async () => {
    await shop.importRow({ email: 'ana@example.cl' });
    const days = async (expires_in_days?: number) => {
      const response = await shop.requestTokens({
        customers: [{ email: 'ana@example.cl' }],
        ...(expires_in_days && { expires_in_days }),
      });
      const [row] = response.json().data.results as Row[];
      expect(shop.opened(row?.token)?.expiresAt.toISOString()).toBe(row?.expires_at);
      return (Date.parse(row?.expires_at ?? '') - kit.clock.now().getTime()) / 86_400_000;
    };
    expect([await days(), await days(1), await days(365)]).toEqual([90, 1, 365]);
  });

  test('[link-016][lim-005] accepts 500 rows', async () => {
    await shop.importRow({ email: 'ana@example.cl' });
    const rows = await shop.mint(...Array.from({ length: 500 }, () => ({ email: 'ana@example.cl' })));
    expect(rows.map(({ index }) => index)).toEqual(Array.from({ length: 500 }, (_, index) => index));
    expect(new Set(rows.map(({ token }) => token)).size).toBe(500);
  });

  test('[link-042] a token contains no personal data, encoded or decoded', async () => {
    const customer = {
      email: 'ana.soto@example.cl',
      phone: '+56912345678',
      national_id: '12345678-5',
      external_id: 'key-8812',
    };
    const id = await shop.importRow({ ...customer, first_name: 'Ana', last_name: 'Soto' });
    const { token = '' } = await shop.mintOne({ email: customer.email });
    const decoded = Buffer.from(token, 'base64url');
    for (const part of [...Object.values(customer), 'Ana', 'Soto', id, shop.profileId]) {
      expect(token).not.toContain(part);
      expect(decoded.includes(part)).toBe(false);
    }
    for (const bytes of [id, shop.profileId].map((one) => Buffer.from(one.replaceAll('-', ''), 'hex')))
      expect(decoded.includes(bytes)).toBe(false);
  });
});

describe('recipes', () => {
  test('[link-031][link-050] describe where to store the token and how to write the link', async () => {
    await shop.importRow({ email: 'ana@example.cl' });
    const { recipes } = (await shop.requestTokens({ customers: [{ email: 'ana@example.cl' }] })).json().data;
    expect(recipes.map(({ channel }: { channel: string }) => channel)).toEqual(['email', 'sms', 'whatsapp', 'crm']);
    for (const recipe of recipes) {
      expect(Object.keys(recipe).sort()).toEqual([
        'channel',
        'link_template',
        'merge_tag',
        'requires',
        'store_token_in',
      ]);
      expect(recipe.requires).toMatch(/tracker/);
      const [address, ...rest] = recipe.link_template.split(`${linkTokenParameter}=`);
      expect(rest).toEqual([recipe.merge_tag]);
      // After "?", or after "&" if the link has a query.
      expect(address.at(-1)).toBe(address.slice(0, -1).includes('?') ? '&' : '?');
      const link = new URL(recipe.link_template.replace(recipe.merge_tag, 'THE-TOKEN'));
      expect(link.searchParams.get(linkTokenParameter)).toBe('THE-TOKEN');
    }
    expect(recipes.some(({ link_template }: { link_template: string }) => link_template.includes('&svc_t='))).toBe(
      true,
    );
    expect(recipes.some(({ link_template }: { link_template: string }) => link_template.includes('?svc_t='))).toBe(
      true,
    );
  });
});

describe('refusals', () => {
  test('[link-014][link-015] returns 422 with the field', async () => {
    const customers = [{ email: 'ana@example.cl' }];
    const wrong: [string, unknown][] = [
      ['customers', {}],
      ['customers', { customers: 'ana' }],
      ['customers', { customers: [] }],
      ['customers', { customers: Array.from({ length: 501 }, () => ({})) }],
      ['expires_in_days', { customers, expires_in_days: 0 }],
      ['expires_in_days', { customers, expires_in_days: 366 }],
      ['expires_in_days', { customers, expires_in_days: 1.5 }],
      ['expires_in_days', { customers, expires_in_days: '90' }],
      ['country', { customers, country: 'Chile' }],
      ['country', { customers, country: 'ZZ' }],
    ];
    for (const [field, body] of wrong) {
      const response = await shop.requestTokens(body);
      expect(response.statusCode, JSON.stringify(body).slice(0, 80)).toBe(422);
      expect(response.json().error).toMatchObject({ code: 'validation_error', field });
    }
  });

  test('returns 403 without attribution:write', async () => {
    const reader = await shop.keyWith('customers:read');
    expect((await shop.requestTokens({ customers: [{ email: 'ana@example.cl' }] }, reader)).json().error.code).toBe(
      'insufficient_scope',
    );
  });

  test('[link-049][err-044] returns 503 link_tokens_disabled without Retry-After when there is no secret', async () => {
    const without = await openApi(kit, { linkTokenKeys: () => [] });
    try {
      const response = await without.fastify.inject({
        method: 'POST',
        url: '/api/v1/customers/link-tokens',
        headers: { ...shop.key.headers },
        payload: { customers: [{ email: 'ana@example.cl' }] },
      });
      expect(response.statusCode).toBe(503);
      expect(response.json().error.code).toBe('link_tokens_disabled');
      expect(response.headers).not.toHaveProperty('retry-after');
    } finally {
      await without.close();
    }
  });
});
