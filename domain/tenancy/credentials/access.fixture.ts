import type { TestApi } from '@tributary/testkit';

export type Headers = Record<string, string>;

/** Registers an app and returns helpers that create profiles with it. */
export async function openAccess(api: TestApi) {
  const app = await api.registerApp();
  /** A token bound to no profile. It expires after one hour of the test clock. */
  const access = { unbound: await app.token() };
  const call = async (method: 'GET' | 'POST' | 'PUT' | 'DELETE', url: string, headers: Headers, body?: unknown) => {
    const response = await api.fastify.inject({
      method,
      url,
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
    });
    return { status: response.statusCode, body: response.json(), headers: response.headers };
  };
  const errorOf = async (answer: Promise<{ status: number; body: { error?: { code: string } } }>) => {
    const { status, body } = await answer;
    return [status, body.error?.code];
  };

  /** Creates a profile, enables it and grants the app its scopes. */
  async function provision(
    options: { privacy_mode?: string; isHealthcareAgency?: boolean; scopes?: string[]; enabled?: boolean } = {},
  ) {
    const workspace = await call('POST', '/api/v1/workspaces', access.unbound, {
      name: 'Acme',
      is_healthcare_agency: options.isHealthcareAgency ?? false,
    });
    const workspaceId = workspace.body.data.id as string;
    const profile = await call('POST', '/api/v1/profiles', access.unbound, {
      workspace_id: workspaceId,
      name: 'Shop',
      ...(options.privacy_mode && { privacy_mode: options.privacy_mode }),
    });
    const profileId = profile.body.data.id as string;
    if (options.enabled !== false) await call('PUT', entitlement(profileId), access.unbound, { enabled: true });
    await call('PUT', `/api/v1/profiles/${profileId}/grant`, access.unbound, {
      scopes: options.scopes ?? ['analytics', 'attribution_write'],
    });
    return { workspaceId, profileId };
  }
  const entitlement = (profileId: string) => `/api/v1/profiles/${profileId}/entitlements/atribu_attribution`;
  const mint = async (profileId: string, body: object = {}) => {
    const { body: answer } = await call('POST', '/api/v1/keys', await app.token(profileId), body);
    return {
      id: answer.data.id as string,
      scopes: answer.data.scopes as string[],
      headers: { authorization: `Bearer ${answer.data.key}` },
    };
  };
  return Object.assign(access, { app, call, errorOf, provision, entitlement, mint });
}
