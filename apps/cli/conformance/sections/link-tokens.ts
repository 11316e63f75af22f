import assert from 'node:assert/strict';
import { checksOf } from '../check.ts';
import type { Client, Json } from '../client.ts';
import { dataOf, momentPattern, refusal, unknownId } from '../expect.ts';
import { appProfile } from './authentication.ts';
import { buyer, lead, record } from './fixtures.ts';

const mint = async (api: Client, customers: readonly object[], more: object = {}) =>
  dataOf(await api.post('customers/link-tokens', { customers, ...more }));

export const linkTokens = checksOf('link-tokens', (check) => {
  check(
    'link-001 link-002 link-003 link-004 link-009 link-010 link-013',
    'mints a token for a known customer',
    async (context) => {
      const { key, id } = await buyer(context);
      const { results } = await mint(context.api, [{ customer_key: 'nobody' }, { customer_key: key }]);
      const [, row] = results;
      assert.deepEqual([row.index, row.status, row.customer_key, row.customer_profile_id], [1, 'minted', key, id]);
      assert.match(row.token, /^[\w-]{20,}$/);
      assert.match(row.expires_at, momentPattern);
      assert.equal('reason' in row, false);
    },
  );

  check(
    'link-006 link-007 link-011 link-012 link-033 link-056',
    'returns key, reason and message inside a 200 for a row without a token',
    async ({ api, unique }) => {
      const key = unique('nobody');
      const { results } = await mint(api, [{ customer_key: key }, { email: `${key}@example.com` }]);
      assert.deepEqual([results[0].status, results[0].customer_key, results[0].reason], ['not_found', key, 'no_match']);
      assert.deepEqual([results[1].customer_key, results[1].reason], [null, 'no_match']);
      for (const row of results) {
        assert.match(row.message, /\w/);
        for (const field of ['token', 'expires_at', 'customer_profile_id']) assert.equal(field in row, false, field);
      }
    },
  );

  check('link-034 link-047', 'creates no customer for an unknown identifier', async ({ api, unique }) => {
    const key = unique('stays-unknown');
    await mint(api, [{ customer_key: key }]);
    refusal(await api.get(`customers/journey?customer_key=${key}`), 404, 'customer_not_found');
  });

  check(
    'link-014 link-015 link-028 link-029 link-030 link-031 link-032',
    'returns param, counts and recipes',
    async (context) => {
      const { api } = context;
      const { key } = await buyer(context);
      const answer = await mint(api, [{ customer_key: key }, { customer_key: 'nobody' }, {}], {
        expires_in_days: 1,
        country: 'CL',
      });
      assert.deepEqual([answer.param, answer.minted, answer.not_found, answer.invalid], ['svc_t', 1, 1, 1]);
      for (const recipe of answer.recipes)
        for (const field of ['channel', 'store_token_in', 'link_template', 'merge_tag', 'requires'])
          assert.ok(recipe[field], field);
      refusal(await api.post('customers/link-tokens', {}), 422, 'validation_error');
    },
  );

  check(
    'link-021 link-022 link-023 link-024 link-025',
    'finds a customer by each kind of identifier',
    async (context) => {
      const { api } = context;
      const { key, id, email, phone } = await buyer(context);
      const rows = [
        { customer_profile_id: id },
        { customer_key: key },
        { identifier_type: 'external_customer_id', identifier_value: key },
        { email: email.toUpperCase() },
        { phone: `${phone.slice(0, 3)} ${phone.slice(3, 4)} ${phone.slice(4)}` },
        { phone: phone.slice(3) },
      ];
      const { results } = await mint(api, rows);
      assert.deepEqual(
        results.map((row: Json) => row.customer_profile_id),
        rows.map(() => id),
      );
    },
  );

  check(
    'link-020 link-027',
    'uses the first identifier of a row, and no other when that one is malformed',
    async (context) => {
      const { key, email } = await buyer(context);
      const { results } = await mint(context.api, [
        { customer_profile_id: unknownId, customer_key: key },
        { customer_profile_id: 'no-uuid', customer_key: key },
        { email: 'no address', phone: '+56912345678' },
        { customer_key: 'nobody', email },
      ]);
      const reasons = results.map((row: Json) => row.reason ?? row.status);
      assert.deepEqual(reasons, ['no_match', 'malformed_selector', 'malformed_selector', 'no_match']);
    },
  );

  check('link-038 link-039 link-040 link-041', 'rejects invalid rows with the reason that applies', async ({ api }) => {
    const { results } = await mint(api, [
      {},
      { identifier_type: 'passport', identifier_value: 'x' },
      { customer_profile_id: '123' },
      { email: 'nobody' },
      { phone: 'call me' },
      { identifier_type: 'national_id', identifier_value: '1-1-1' },
    ]);
    const rows = results.map((row: Json) => [row.status, row.reason]);
    const malformed = ['invalid', 'malformed_selector'];
    assert.deepEqual(rows, [
      ['invalid', 'no_selector'],
      ['invalid', 'unknown_identifier_type'],
      malformed,
      malformed,
      malformed,
      malformed,
    ]);
  });

  check('link-042 link-043', 'mints unlinkable tokens without personal data', async (context) => {
    const { key, email, id } = await buyer(context);
    const { results } = await mint(context.api, [{ customer_key: key }, { customer_key: key }]);
    const tokens: string[] = [results[0].token, results[1].token];
    for (const token of tokens) {
      const decoded = Buffer.from(token, 'base64url').toString('latin1');
      for (const personal of [key, email, id, id.replaceAll('-', '')])
        assert.equal(token.includes(personal) || decoded.includes(personal), false);
    }
    let common = 0;
    while (tokens[0]?.[common] === tokens[1]?.[common]) common += 1;
    assert.ok(common < 8, `The tokens share their first ${common} characters`);
  });

  check(
    'link-008 ver-018',
    "leaves the customer's id out for a key without customers:read",
    async (context) => {
      const { app, as, unique } = context;
      const { id } = await appProfile(context);
      const writer = as(await app.createKey(id, { scopes: ['attribution:write'] }));
      const key = unique('hidden');
      await record(writer, lead(key));
      const { results } = await mint(writer, [{ customer_key: key }]);
      assert.equal(results[0].status, 'minted');
      assert.equal('customer_profile_id' in results[0], false);
    },
    'app',
  );

  check('link-035 link-036 link-037 eras-032', 'mints no token for an erased customer', async ({ api, unique }) => {
    const key = unique('gone');
    const email = `${key}@example.com`;
    await record(api, lead(key, { user_traits: { external_id: key, email } }));
    const { results } = await mint(api, [{ customer_key: key }]);
    const { customer_profile_id } = results[0];
    dataOf(await api.post('customers/erasures', { request_ref: key, customer_key: key }), 202);
    const after = await mint(api, [{ customer_key: key }, { customer_profile_id }, { email }]);
    assert.deepEqual(
      after.results.map((row: Json) => [row.status, row.reason]),
      [
        ['not_found', 'erased'],
        ['not_found', 'erased'],
        ['not_found', 'no_match'],
      ],
    );
  });
});
