import assert from 'node:assert/strict';
import { checksOf } from '../check.ts';
import type { Context } from '../context.ts';
import { dataOf, momentPattern, refusal } from '../expect.ts';

const secondMs = 1_000;

/** One read of each kind, with the scopes of which a key needs one. */
const reads: readonly (readonly [path: string, scopes: readonly string[]])[] = [
  ['customers?date_from=2026-01-01&date_to=2026-01-02&goal=payment_received', ['customers:read']],
  ['customers/search?q=ana', ['customers:read']],
  ['campaigns?date_from=2026-01-01&date_to=2026-01-02', ['campaigns:read']],
  ['top-performers', ['campaigns:read']],
  ['connections', ['connections:read']],
  ['webhooks/subscriptions', ['connections:read']],
  ['payments?from=2026-01-01&to=2026-01-02', ['commerce:read']],
  ['tracking/events', ['visitors:read']],
  ['tracking/quality?date_from=2026-01-01&date_to=2026-01-02', ['analytics:read']],
  ['exports', ['exports:read']],
  ['outcomes/recorded', ['conversions:read', 'customers:read']],
];

/** A profile of the app with attribution enabled. */
export const appProfile = ({ shared }: Context) =>
  shared('app profile', async ({ app, unique }) => {
    const profile = await app.createProfile(unique('Conformance'));
    await app.enable(profile);
    return profile;
  });

const clinic = ({ shared }: Context) =>
  shared('clinic', async ({ app, unique }) => {
    const profile = await app.createProfile(unique('Clinic'), { privacy_mode: 'hipaa' });
    await app.enable(profile, {}, ['analytics', 'attribution_write', 'connections']);
    return profile;
  });

export const authentication = checksOf('authentication', (check) => {
  check('auth-001 auth-005 err-010', 'returns 401 for every read without a credential', async ({ anonymous }) => {
    for (const [path] of reads) refusal(await anonymous.get(path), 401, 'unauthorized');
  });

  check('auth-001 auth-005', 'returns 401 for writes without a credential', async ({ anonymous }) => {
    for (const path of ['customers', 'events', 'customers/link-tokens', 'customers/erasures', 'webhooks/subscriptions'])
      refusal(await anonymous.post(path, {}), 401, 'unauthorized');
  });

  check('auth-006', 'returns 401 for an invalid bearer token', async ({ as }) => {
    for (const secret of ['nonsense', `trib_live_${'a'.repeat(32)}`, ''])
      refusal(await as(secret).get('connections'), 401, 'unauthorized');
  });

  check('auth-004', 'accepts a key only as a bearer token in the Authorization header', async ({ api, anonymous }) => {
    dataOf(await api.get('connections'));
    refusal(await anonymous.get('connections', { headers: { authorization: 'Basic YTpi' } }), 401, 'unauthorized');
    refusal(await anonymous.get('connections', { headers: { 'x-api-key': 'nonsense' } }), 401, 'unauthorized');
  });

  check(
    'auth-009 auth-010 auth-011 err-004 err-012',
    'returns 403 insufficient_scope with the sufficient scopes, on each kind of read',
    async (context) => {
      const { app, as } = context;
      const { id } = await appProfile(context);
      const narrow = as(await app.createKey(id, { scopes: ['creatives:write'] }));
      for (const [path, scopes] of reads) {
        const { required_scopes } = refusal(await narrow.get(path), 403, 'insufficient_scope');
        assert.ok(required_scopes.length > 0, `GET ${path} names no scope`);
        for (const scope of required_scopes) assert.ok(scopes.includes(scope), `GET ${path} names ${scope}`);
      }
    },
    'app',
  );

  check(
    'auth-009 auth-010',
    'allows each kind of read to a key with the one scope that it needs',
    async (context) => {
      const { app, as } = context;
      const { id } = await appProfile(context);
      for (const [path, [scope = '']] of reads)
        dataOf(await as(await app.createKey(id, { scopes: [scope] })).get(path));
    },
    'app',
  );

  check(
    'auth-010 cust-049',
    'returns 403 for writes of a read-only key',
    async (context) => {
      const { app, as } = context;
      const { id } = await appProfile(context);
      const reader = as(
        await app.createKey(id, { scopes: ['campaigns:read', 'connections:read', 'conversions:read'] }),
      );
      refusal(await reader.get('customers?date_from=2026-01-01&date_to=2026-01-02&goal=x'), 403, 'insufficient_scope');
      for (const path of ['customers', 'events', 'customers/link-tokens', 'customers/erasures', 'goals/definitions'])
        refusal(await reader.post(path, {}), 403, 'insufficient_scope');
    },
    'app',
  );

  check(
    'auth-008',
    'returns 401 for a key from the moment it is revoked',
    async (context) => {
      const { app, as } = context;
      const { id } = await appProfile(context);
      const key = as(await app.createKey(id, { scopes: ['connections:read'] }));
      dataOf(await key.get('connections'));
      const token = await app.client(id);
      const { body } = await token.get('keys');
      dataOf(await token.delete(`keys/${body.data[0].id}`));
      refusal(await key.get('connections'), 401, 'unauthorized');
    },
    'app',
  );

  check(
    'auth-007',
    'returns 401 for an expired key',
    async (context) => {
      const { app, as, clock } = context;
      const { id } = await appProfile(context);
      const traits = { scopes: ['connections:read'], expires_at: clock.at(60 * secondMs) };
      const key = as(await app.createKey(id, traits));
      dataOf(await key.get('connections'));
      await clock.advance({ seconds: 61 });
      refusal(await key.get('connections'), 401, 'unauthorized');
    },
    'app',
    'clock',
  );

  check(
    'auth-037',
    'issues an app token for client credentials, and none for a wrong secret',
    async ({ app, anonymous, as }) => {
      const { status, body } = await app.token({});
      assert.deepEqual([status, body.token_type], [200, 'Bearer']);
      assert.equal((await as(body.access_token).get('connections')).status === 401, false);
      const form = 'grant_type=client_credentials&client_id=nobody&client_secret=nothing';
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      assert.equal((await anonymous.post('/oauth/token', form, { headers })).status, 401);
    },
    'app',
  );

  check(
    'auth-025 auth-027 conv-021 conv-023 conv-024 conv-025',
    'creates a profile in the requested privacy mode',
    async ({ app, unique }) => {
      const workspace_id = await app.createWorkspace(unique('Privacy'));
      const token = await app.client();
      for (const [privacy_mode, isHealthcare] of [
        ['standard', false],
        ['platform_safe', true],
        ['hipaa', true],
      ] as const) {
        const profile = dataOf(
          await token.post('profiles', { workspace_id, name: privacy_mode, privacy_mode, is_test: true }),
          201,
        );
        assert.deepEqual([profile.privacy_mode, profile.is_healthcare_family], [privacy_mode, isHealthcare]);
      }
      const other = await token.post('profiles', { workspace_id, name: 'x', privacy_mode: 'secret' });
      assert.match(refusal(other, 422, 'validation_error').message, /privacy_mode/);
    },
    'app',
  );

  check(
    'conv-022',
    'treats every profile of a healthcare agency as healthcare, whatever its own mode',
    async ({ app, unique }) => {
      const workspace_id = await app.createWorkspace(unique('Agency'), { is_healthcare_agency: true });
      const token = await app.client();
      const profile = dataOf(await token.post('profiles', { workspace_id, name: 'Standard', is_test: true }), 201);
      assert.deepEqual([profile.privacy_mode, profile.is_healthcare_family], ['standard', true]);
    },
    'app',
  );

  check(
    'auth-029 auth-030 auth-031 err-023',
    "refuses writes to an app's profile with 409 entitlement_required until the app enabled attribution, and no reads",
    async ({ app, as, unique }) => {
      const profile = await app.createProfile(unique('Waiting'));
      const token = await app.client();
      dataOf(await token.put(`profiles/${profile.id}/grant`, { scopes: ['attribution_write', 'analytics'] }));
      const key = as(await app.createKey(profile.id));
      const event = { event_name: 'lead_created', user_traits: { external_id: 'a' } };
      refusal(await key.post('events', event), 409, 'entitlement_required');
      dataOf(await key.get('campaigns?date_from=2026-01-01&date_to=2026-01-02'));
      dataOf(await token.put(`profiles/${profile.id}/entitlements/atribu_attribution`, { enabled: true }));
      dataOf(await key.post('events', event), 202);
    },
    'app',
  );

  check(
    'auth-026 auth-028',
    'sets the privacy mode together with the entitlement',
    async ({ app, as, unique }) => {
      const profile = await app.createProfile(unique('Switching'));
      const grants = ['attribution_write', 'analytics'];
      await app.enable(profile, { privacy_mode: 'platform_safe' }, grants);
      const read = dataOf(await as(await app.createKey(profile.id)).get('profile'));
      assert.deepEqual([read.privacy_mode, read.is_healthcare_family], ['platform_safe', true]);
    },
    'app',
  );

  check(
    'auth-019 auth-020 auth-022 auth-024 err-024 conv-026',
    'returns 403 healthcare_scope_forbidden for scopes over customers on a healthcare profile',
    async (context) => {
      const { app, as } = context;
      const { id } = await clinic(context);
      const token = await app.client(id);
      for (const scope of ['customers:read', 'visitors:read'])
        refusal(await token.post('keys', { scopes: [scope] }), 403, 'healthcare_scope_forbidden');
      const grant = await (await app.client()).put(`profiles/${id}/grant`, { scopes: ['analytics_pii'] });
      refusal(grant, 403, 'healthcare_scope_forbidden');
      const key = as(await app.createKey(id));
      refusal(await key.get('customers/search?q=ana'), 403, 'insufficient_scope');
      refusal(await key.get('tracking/events'), 403, 'insufficient_scope');
    },
    'app',
  );

  check(
    'auth-021',
    'lets keys of a healthcare profile read reduced journeys with conversions:read',
    async (context) => {
      const { app, as } = context;
      const { id } = await clinic(context);
      const key = as(await app.createKey(id, { scopes: ['conversions:read', 'attribution:write'] }));
      const event = { event_name: 'lead_created', user_traits: { external_id: 'patient-17' } };
      dataOf(await key.post('events', event), 202);
      const answer = await key.get('customers/journey?customer_key=patient-17');
      dataOf(answer);
      assert.equal('person' in answer.body.meta, false);
    },
    'app',
  );

  check(
    'auth-023',
    'revokes keys with access to customers when their profile becomes healthcare',
    async ({ app, as, unique }) => {
      const profile = await app.createProfile(unique('Turning'));
      await app.enable(profile);
      const people = as(await app.createKey(profile.id, { scopes: ['customers:read'] }));
      const reports = as(await app.createKey(profile.id, { scopes: ['campaigns:read'] }));
      dataOf(await people.get('customers/search?q=ana'));
      const token = await app.client();
      dataOf(
        await token.put(`profiles/${profile.id}/entitlements/atribu_attribution`, {
          enabled: true,
          privacy_mode: 'hipaa',
        }),
      );
      refusal(await people.get('customers/search?q=ana'), 401, 'unauthorized');
      dataOf(await reports.get('campaigns?date_from=2026-01-01&date_to=2026-01-02'));
    },
    'app',
  );

  check(
    'auth-033 auth-034 auth-035',
    'lists each access to personal data with caller, time, route and result',
    async (context) => {
      const { app, as, unique } = context;
      const { id, workspaceId } = await appProfile(context);
      const key = as(await app.createKey(id));
      const customer = unique('logged');
      dataOf(await key.post('events', { event_name: 'lead_created', user_traits: { external_id: customer } }), 202);
      dataOf(await key.get(`customers/journey?customer_key=${customer}`));
      const log = await (await app.client()).get(`workspaces/${workspaceId}/pii-access-log`);
      const [entry] = dataOf(log);
      assert.ok(entry, 'The log is empty.');
      assert.match(entry.at, momentPattern);
      assert.deepEqual([entry.actor.kind, entry.profile_id, entry.people], ['api_key', id, 1]);
      assert.match(entry.route, /GET .*customers\/journey/);
      assert.ok(entry.result, 'The entry has no result.');
    },
    'app',
  );
});
