import assert from 'node:assert/strict';
import { checksOf } from '../check.ts';
import { dataOf, momentPattern, refusal, unknownId, uuidPattern } from '../expect.ts';
import { appProfile } from './authentication.ts';

const providers = ['social_ads', 'search_ads', 'search_console', 'crm_a', 'payments_a', 'payments_b'];

export const connections = checksOf('connections', (check) => {
  check('conn-013 conn-014', 'lists connections, of one provider where it is named', async ({ api }) => {
    for (const query of ['', '?channel=social_ads'])
      assert.ok(Array.isArray(dataOf(await api.get(`connections${query}`))));
    refusal(await api.get('connections?channel=carrier_pigeon'), 400, 'invalid_parameter');
  });

  check('conn-024', 'returns 404 for a connection of another profile and its pixels', async ({ api }) => {
    refusal(await api.get(`connections/${unknownId}`), 404, 'not_found');
    refusal(await api.get(`connections/${unknownId}/pixels`), 404, 'not_found');
    refusal(await api.post(`connections/${unknownId}/disconnect`), 404, 'not_found');
  });

  check('conn-026 conn-027 conn-030', 'reads the CRM stages in English and Spanish', async ({ api }) => {
    for (const locale of ['es', 'en']) {
      const answer = dataOf(await api.get(`connections/crm_a/stages?locale=${locale}`));
      for (const field of ['status', 'can_write', 'next_step', 'outcomes']) assert.ok(field in answer, field);
      for (const { key } of answer.outcomes) assert.match(key, /^[a-z_]+$/);
    }
    refusal(await api.get('connections/crm_a/stages?locale=fr'), 400, 'invalid_parameter');
    refusal(await api.get('connections/social_ads/stages'), 400, 'invalid_parameter');
  });
});

export const handoffs = checksOf('hand-offs', (check) => {
  check(
    'hand-001 hand-003 hand-004 hand-005 hand-009 hand-010 hand-011 hand-059 hand-068',
    'creates a hand-off without a body',
    async ({ api }) => {
      const made = dataOf(await api.post('connections/social_ads/handoff'), 201);
      assert.match(made.id, uuidPattern);
      assert.deepEqual([made.kind, made.status, made.completed_at, made.result], ['connect', 'pending', null, null]);
      assert.match(made.created_at, momentPattern);
    },
  );

  check('hand-008 hand-013 lim-019', 'creates a hand-off that is valid for 45 minutes', async ({ api }) => {
    const { created_at, expires_at } = dataOf(await api.post('connections/search_ads/handoff', {}), 201);
    assert.equal(Date.parse(expires_at) - Date.parse(created_at), 45 * 60_000);
  });

  check('hand-002 hand-060', 'reads a hand-off with the fields of its creation', async ({ api }) => {
    const made = dataOf(await api.post('connections/crm_a/handoff', {}), 201);
    assert.deepEqual(dataOf(await api.get(`handoffs/${made.id}`)), made);
    refusal(await api.get(`handoffs/${unknownId}`), 404, 'not_found');
  });

  check(
    'hand-065 hand-066 hand-067',
    'connects six providers by a hand-off, not including the store',
    async ({ api }) => {
      for (const provider of providers) {
        const { status, body } = await api.post(`connections/${provider}/handoff`, {});
        assert.ok(status === 201 || body.error.code === 'provider_not_configured', `${provider}: ${status}`);
      }
      for (const provider of ['store', 'nobody'])
        refusal(await api.post(`connections/${provider}/handoff`, {}), 400, 'invalid_parameter');
    },
  );

  check('hand-051', 'creates two hand-offs for two requests', async ({ api }) => {
    const [one, two] = [
      await api.post('connections/social_ads/handoff', {}),
      await api.post('connections/social_ads/handoff', {}),
    ];
    assert.notEqual(dataOf(one, 201).id, dataOf(two, 201).id);
  });

  check('hand-069 hand-070', "takes its own profile_id and returns 404 for another's", async ({ api, profileId }) => {
    dataOf(await api.post('connections/social_ads/handoff', { profile_id: profileId }), 201);
    refusal(await api.post('connections/social_ads/handoff', { profile_id: unknownId }), 404, 'not_found');
  });

  check(
    'hand-006 hand-007',
    'opens one page for anyone with the link, and redirects from start_url to the provider',
    async ({ api, anonymous }) => {
      const { url, start_url } = dataOf(await api.post('connections/social_ads/handoff', {}), 201);
      const page = await anonymous.get(new URL(url).pathname);
      assert.equal(page.status, 200);
      assert.match(page.headers.get('content-type') ?? '', /text\/html/);
      const start = await anonymous.get(new URL(start_url).pathname);
      assert.ok([302, 303].includes(start.status), String(start.status));
      const to = new URL(start.headers.get('location') ?? '');
      assert.ok(to.searchParams.get('state'), 'The consent page gets no state.');
    },
  );

  check(
    'hand-074 hand-076 hand-090',
    'returns 400 invalid_parameter for return URLs that no app allowed',
    async ({ api }) => {
      for (const return_url of ['https://nobody.example/back', 'https://a:b@nobody.example/', 'javascript:alert(1)'])
        refusal(await api.post('connections/social_ads/handoff', { return_url }), 400, 'invalid_parameter');
    },
  );

  check(
    'hand-022 hand-037 hand-079 hand-089',
    'expires a hand-off after 45 minutes, after which its link starts no consent',
    async ({ api, anonymous, clock }) => {
      const made = dataOf(await api.post('connections/social_ads/handoff', {}), 201);
      await clock.advance({ minutes: 44 });
      assert.equal(dataOf(await api.get(`handoffs/${made.id}`)).status, 'pending');
      await clock.advance({ minutes: 2 });
      const over = dataOf(await api.get(`handoffs/${made.id}`));
      assert.deepEqual([over.status, over.result.reason], ['failed', 'handoff_expired']);
      const start = await anonymous.get(new URL(made.start_url).pathname);
      const location = start.headers.get('location') ?? '';
      assert.equal(location.includes('state='), false, location);
    },
    'clock',
  );

  check(
    'hand-070 conv-015',
    "returns 404 for another profile's hand-off",
    async (context) => {
      const { app, as, api } = context;
      const { id } = await appProfile(context);
      const made = dataOf(await api.post('connections/social_ads/handoff', {}), 201);
      refusal(await as(await app.createKey(id)).get(`handoffs/${made.id}`), 404, 'not_found');
    },
    'app',
  );
});
