import assert from 'node:assert/strict';
import { checksOf } from '../check.ts';
import type { Client } from '../client.ts';
import { eventually } from '../context.ts';
import { dataOf, momentPattern, refusal, unknownId, uuidPattern } from '../expect.ts';
import { appProfile } from './authentication.ts';
import { days, lead, payment, record } from './fixtures.ts';

/** A customer with e-mail and phone, and one payment. */
async function customer(api: Client, key: string) {
  const email = `${key}@example.com`;
  const phone = `+5697${String(Math.floor(Math.random() * 1e7)).padStart(7, '0')}`;
  const traits = { external_id: key, email, phone, first_name: 'Olga' };
  const { outcome_event_id } = await record(
    api,
    payment(key, { key: `pay-${key}`, value: '30.00', user_traits: traits }),
  );
  return { key, email, phone, outcomeId: outcome_event_id };
}

const erase = (api: Client, body: object) => api.post('customers/erasures', body);

export const erasures = checksOf('erasures', (check) => {
  check(
    'eras-001 eras-002 eras-003 eras-004 eras-005 eras-006 eras-007',
    'returns 202 and a receipt with seven fields for an erasure',
    async ({ api, unique }) => {
      const { key } = await customer(api, unique('erased'));
      const receipt = dataOf(
        await erase(api, { request_ref: `ref:${key}`, customer_key: key, reason: 'account_closed' }),
        202,
      );
      assert.deepEqual(Object.keys(receipt).sort(), [
        'completed_at',
        'customer_key',
        'erasure_id',
        'reason',
        'request_ref',
        'requested_at',
        'status',
      ]);
      assert.match(receipt.erasure_id, uuidPattern);
      assert.deepEqual(
        [receipt.request_ref, receipt.customer_key, receipt.reason],
        [`ref:${key}`, key, 'account_closed'],
      );
      assert.ok(['done', 'queued'].includes(receipt.status));
      assert.match(receipt.requested_at, momentPattern);
    },
  );

  check(
    'eras-008 eras-011 eras-013 eras-014 eras-050',
    'becomes done with a completion time after the background work has ended',
    async ({ api, unique }) => {
      const { key } = await customer(api, unique('queued'));
      const first = dataOf(await erase(api, { request_ref: key, customer_key: key }), 202);
      if (first.status === 'queued') assert.equal(first.completed_at, null);
      refusal(await api.get(`customers/journey?customer_key=${key}`), 404, 'customer_not_found');
      const done = await eventually(async () => {
        const receipt = dataOf(await api.get(`customers/erasures/${first.erasure_id}`));
        assert.equal(receipt.status, 'done');
        return receipt;
      }, 60_000);
      assert.match(done.completed_at, momentPattern);
    },
  );

  check(
    'eras-027 eras-030 eras-034 jour-043',
    'finds no customer by key, e-mail, phone or name afterwards',
    async ({ api, unique }) => {
      const { key, email, phone, outcomeId } = await customer(api, unique('unfound'));
      dataOf(await erase(api, { request_ref: key, customer_key: key }), 202);
      refusal(await api.get(`customers/journey?customer_key=${key}`), 404, 'customer_not_found');
      refusal(await api.get(`customers/journey?email=${email}`), 404, 'customer_not_found');
      refusal(await api.get(`customers/journey?phone=${encodeURIComponent(phone)}`), 404, 'customer_not_found');
      assert.deepEqual(dataOf(await api.get(`customers/search?q=${key}`)), []);
      const { text } = await api.get(`payments/${outcomeId}`);
      for (const personal of [email, phone, 'Olga'])
        assert.equal(text.includes(personal), false, `The payment shows ${personal}`);
    },
  );

  check('eras-029', 'keeps the conversion in reports without the customer', async (context) => {
    const { api, unique } = context;
    const { key, outcomeId } = await customer(api, unique('report'));
    const count = async () => dataOf(await api.get(`campaigns/unattributed?${days(context)}`)).attributed_outcome_count;
    const before = dataOf(await api.get(`payments/${outcomeId}`));
    const counted = await eventually(async () => {
      const now = await count();
      assert.ok(now > 0);
      return now;
    });
    dataOf(await erase(api, { request_ref: key, customer_key: key }), 202);
    const after = dataOf(await api.get(`payments/${outcomeId}`));
    assert.deepEqual([after.amount, after.paid_at, after.counted], [before.amount, before.paid_at, before.counted]);
    assert.ok((await count()) >= counted);
  });

  check(
    'eras-035 eras-036 eras-016',
    'returns 200 with the first receipt when the same erasure is requested again',
    async ({ api, unique }) => {
      const { key, email } = await customer(api, unique('again'));
      const first = dataOf(await erase(api, { request_ref: key, customer_key: key }), 202);
      const same = dataOf(await erase(api, { request_ref: key, customer_key: key }), 200);
      const newRef = dataOf(await erase(api, { request_ref: `${key}:2`, customer_key: key }), 200);
      assert.deepEqual(
        [same.erasure_id, newRef.erasure_id, newRef.request_ref],
        [first.erasure_id, first.erasure_id, key],
      );
      refusal(await erase(api, { request_ref: `${key}:3`, email }), 404, 'customer_not_found');
    },
  );

  check('eras-038', 'refuses a reference that is used for another customer', async ({ api, unique }) => {
    const [one, two] = [await customer(api, unique('ref-a')), await customer(api, unique('ref-b'))];
    dataOf(await erase(api, { request_ref: one.key, customer_key: one.key }), 202);
    refusal(await erase(api, { request_ref: one.key, customer_key: two.key }), 400, 'invalid_parameter');
    dataOf(await api.get(`customers/journey?customer_key=${two.key}`));
  });

  check('eras-015', 'does not bring an erased customer back when the key is sent again', async ({ api, unique }) => {
    const { key } = await customer(api, unique('back'));
    dataOf(await erase(api, { request_ref: key, customer_key: key }), 202);
    await api.post('events', lead(key));
    await api.post('customers', { rows: [{ external_id: key, email: `${key}-new@example.com` }] });
    refusal(await api.get(`customers/journey?customer_key=${key}`), 404, 'customer_not_found');
  });

  check('eras-023', 'erases by e-mail in any capitals and by phone in any spelling', async ({ api, unique }) => {
    const [one, two] = [await customer(api, unique('by-mail')), await customer(api, unique('by-phone'))];
    const byMail = dataOf(await erase(api, { request_ref: one.key, email: one.email.toUpperCase() }), 202);
    assert.equal(byMail.customer_key, one.key);
    const spelled = two.phone.slice(3).replace(/(\d)(\d{4})(\d{4})/, '$1 $2 $3');
    const byPhone = dataOf(await erase(api, { request_ref: two.key, phone: spelled, country: 'CL' }), 202);
    assert.equal(byPhone.customer_key, two.key);
  });

  check('eras-024', 'erases by each kind of identifier', async ({ api, unique }) => {
    for (const [identifier_type, trait] of [
      ['external_customer_id', 'external_id'],
      ['crm_contact_id', 'crm_contact_id'],
      ['store_customer_id', 'store_customer_id'],
      ['payments_customer_id', 'payments_customer_id'],
    ] as const) {
      const identifier_value = unique(trait);
      await record(api, { event_name: 'lead_created', user_traits: { [trait]: identifier_value } });
      dataOf(await erase(api, { request_ref: identifier_value, identifier_type, identifier_value }), 202);
    }
  });

  check('eras-025', 'uses data_subject_request as the default reason', async ({ api, unique }) => {
    const { key } = await customer(api, unique('reason'));
    assert.equal(dataOf(await erase(api, { request_ref: key, customer_key: key }), 202).reason, 'data_subject_request');
  });

  check(
    'eras-019 eras-026 eras-037 eras-039 eras-040 eras-041 eras-042 eras-043 eras-044',
    'returns 400 invalid_parameter with the field for an invalid erasure',
    async ({ api, unique }) => {
      const request_ref = unique('wrong');
      const cases: readonly (readonly [object, string])[] = [
        [{ customer_key: 'a' }, 'request_ref'],
        [{ request_ref: 'not allowed', customer_key: 'a' }, 'request_ref'],
        [{ request_ref }, 'customer_key'],
        [{ request_ref, customer_key: 'a', email: 'a@example.com' }, 'email'],
        [{ request_ref, identifier_type: 'passport', identifier_value: 'a' }, 'identifier_type'],
        [{ request_ref, email: 'nobody' }, 'email'],
        [{ request_ref, phone: 'none' }, 'phone'],
        [{ request_ref, customer_key: 'a', reason: 'because' }, 'reason'],
      ];
      for (const [body, field] of cases) {
        const { message } = refusal(await erase(api, body), 400, 'invalid_parameter');
        assert.ok(message.includes(field), `"${message}" does not name ${field}`);
      }
    },
  );

  check('eras-045', 'returns 400 invalid_request for a body that is not a JSON object', async ({ api }) => {
    for (const body of ['[]', '"text"', '5', '{'])
      refusal(await api.post('customers/erasures', body), 400, 'invalid_request');
  });

  check('eras-048', 'returns 404 customer_not_found when no customer matches', async ({ api, unique }) => {
    const request_ref = unique('nobody');
    refusal(await erase(api, { request_ref, customer_key: request_ref }), 404, 'customer_not_found');
    refusal(await erase(api, { request_ref, email: `${request_ref}@example.com` }), 404, 'customer_not_found');
  });

  check('eras-051', 'returns 404 erasure_not_found for an unknown receipt id', async ({ api }) => {
    refusal(await api.get(`customers/erasures/${unknownId}`), 404, 'erasure_not_found');
    refusal(await api.get('customers/erasures/no-uuid'), 404, 'erasure_not_found');
  });

  check('eras-009', "shows the customer's own id on no receipt", async ({ api, unique }) => {
    const { key } = await customer(api, unique('no-id'));
    const { body } = await api.get(`customers/journey?customer_key=${key}`);
    const answer = await erase(api, { request_ref: key, customer_key: key });
    assert.equal(answer.text.includes(body.meta.person.customer_profile_id), false);
  });

  check(
    'auth-032 err-039 eras-049',
    "refuses an app's token with 403 api_key_required, and another profile's customer with 404",
    async (context) => {
      const { app, as, api, unique } = context;
      const { id } = await appProfile(context);
      const token = await app.client(id);
      refusal(await erase(token, { request_ref: 'a', customer_key: 'a' }), 403, 'api_key_required');
      const { key } = await customer(api, unique('foreign'));
      const stranger = as(await app.createKey(id));
      refusal(await erase(stranger, { request_ref: key, customer_key: key }), 404, 'customer_not_found');
    },
    'app',
  );

  check(
    'eras-017',
    'erases without the attribution add-on',
    async ({ app, as, unique }) => {
      const profile = await app.createProfile(unique('No add-on'));
      dataOf(await (await app.client()).put(`profiles/${profile.id}/grant`, { scopes: ['attribution_write'] }));
      const key = as(await app.createKey(profile.id));
      refusal(await erase(key, { request_ref: 'a', customer_key: 'a' }), 404, 'customer_not_found');
    },
    'app',
  );
});
