import assert from 'node:assert/strict';
import { checksOf } from '../check.ts';
import { dataOf, refusal, unknownId } from '../expect.ts';
import { lead } from './fixtures.ts';

/** Every report over a date range. */
const reports = [
  'campaigns',
  'campaigns/unattributed',
  'campaigns/platform-comparison',
  'overview',
  'tracking/quality',
];

export const errors = checksOf('errors', (check) => {
  check(
    'err-001 err-002 err-003',
    'returns every error in the same envelope, with a request id that is also in the headers',
    async ({ api, anonymous }) => {
      for (const answer of [
        await anonymous.get('connections'),
        await api.get('nowhere'),
        await api.get('campaigns'),
        await api.post('events', '{'),
        await api.post('events', {}),
        await api.get(`customers/erasures/${unknownId}`),
      ]) {
        const { error } = answer.body;
        const { code, message, status, request_id, docs_url } = error;
        for (const field of [code, message, request_id, docs_url]) assert.equal(typeof field, 'string');
        assert.equal(status, answer.status);
        assert.equal(answer.headers.get('x-request-id'), request_id);
        assert.deepEqual(Object.keys(answer.body), ['error']);
        assert.ok(docs_url.endsWith(code), docs_url);
      }
    },
  );

  check('err-002', 'documents each code at its docs_url', async ({ api, anonymous }) => {
    const { docs_url } = refusal(await api.get('nowhere'), 404, 'not_found');
    const page = await anonymous.get(new URL(docs_url).pathname);
    assert.equal(page.status, 200);
    assert.match(page.text, /not_found/);
  });

  check('err-014 err-079', 'returns 404 not_found for a path without a route', async ({ api }) => {
    for (const path of ['nowhere', 'campaigns/a/b/c', 'customers/x/y/z'])
      refusal(await api.get(path), 404, 'not_found');
    refusal(await api.post('campaigns/nothing/here', {}), 404, 'not_found');
  });

  check('err-015', 'returns 400 invalid_parameter for an invalid query parameter', async ({ api }) => {
    refusal(await api.get('top-performers?window=30d'), 400, 'invalid_parameter');
    refusal(await api.get('top-performers?limit=ten'), 400, 'invalid_parameter');
    refusal(await api.get('connections?chanel=x'), 400, 'invalid_parameter');
    refusal(await api.get('customers/search'), 400, 'invalid_parameter');
    refusal(await api.get('customers/no-uuid/journey'), 400, 'invalid_parameter');
  });

  check('err-017', 'returns 422 validation_error that names the field', async ({ api }) => {
    const cases: readonly (readonly [path: string, body: object, field: string])[] = [
      ['events', { event_name: 5 }, 'event_name'],
      ['events', lead('a', { occurred_at: 'yesterday' }), 'occurred_at'],
      ['events', lead('a', { unknown_field: 1 }), 'unknown_field'],
      ['customers', {}, 'rows'],
      ['customers/link-tokens', {}, 'customers'],
      ['goals/definitions', { name: 'x', lookback_window_days: 100_000 }, 'lookback_window_days'],
      ['webhooks/subscriptions', { url: 'https://example.com', events: ['no.such'], providers: ['service'] }, 'events'],
    ];
    for (const [path, body, field] of cases) {
      const error = refusal(await api.post(path, body), 422, 'validation_error');
      assert.ok(error.message.includes(field), `"${error.message}" does not name ${field}`);
    }
  });

  check('err-019', 'returns 400 invalid_date_range when a date is missing', async ({ api }) => {
    for (const path of reports) {
      refusal(await api.get(`${path}?date_from=2026-01-01`), 400, 'invalid_date_range');
      refusal(await api.get(`${path}?date_to=2026-01-01`), 400, 'invalid_date_range');
    }
  });

  check('err-020', 'returns 400 invalid_date_range for dates that do not exist', async ({ api }) => {
    for (const day of ['2026-02-30', '2023-02-29', '2026-13-01', '20260101', 'today', ''])
      refusal(await api.get(`campaigns?date_from=${day}&date_to=2026-03-01`), 400, 'invalid_date_range');
  });

  check(
    'err-021',
    'returns 400 invalid_date_range when the first day is after the last, and accepts a single day',
    async ({ api }) => {
      for (const path of reports) {
        refusal(await api.get(`${path}?date_from=2026-03-02&date_to=2026-03-01`), 400, 'invalid_date_range');
        dataOf(await api.get(`${path}?date_from=2026-03-01&date_to=2026-03-01`));
      }
    },
  );

  check('err-022 lim-012 comp-023', 'compares platforms over up to 366 days', async ({ api }) => {
    dataOf(await api.get('campaigns/platform-comparison?date_from=2024-01-01&date_to=2024-12-31'));
    refusal(
      await api.get('campaigns/platform-comparison?date_from=2024-01-01&date_to=2025-01-01'),
      400,
      'invalid_date_range',
    );
  });

  check(
    'err-006 err-040 err-042 err-043 jour-046',
    'returns error codes specific to the resource',
    async ({ api, unique }) => {
      refusal(await api.get(`customers/journey?customer_key=${unique('nobody')}`), 404, 'customer_not_found');
      refusal(await api.get(`conversions/${unknownId}/journey`), 404, 'conversion_not_found');
      refusal(await api.get(`customers/erasures/${unknownId}`), 404, 'erasure_not_found');
    },
  );

  check(
    'err-095 err-096 err-097',
    'returns 422 for payments with a bad reference, status or range',
    async ({ api }) => {
      refusal(await api.get('payments/no-payment'), 422, 'payment_ref_invalid');
      refusal(await api.get('payments?from=2026-01-01&to=2026-01-02&status=paid'), 422, 'status_invalid');
      for (const query of ['from=2026-01-01', 'to=2026-01-01', 'from=2026-01-02&to=2026-01-01', 'from=x&to=2026-01-01'])
        refusal(await api.get(`payments?${query}`), 422, 'range_invalid');
    },
  );

  check('err-077 err-078', 'returns 404 campaign_not_found for every campaign of another profile', async ({ api }) => {
    for (const id of ['120210000000999', 'no-campaign', unknownId])
      refusal(await api.get(`campaigns/${id}/status`), 404, 'campaign_not_found');
  });
});
