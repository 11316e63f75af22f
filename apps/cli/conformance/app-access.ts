import assert from 'node:assert/strict';
import type { Client } from './client.ts';

export interface AppProfile {
  readonly id: string;
  readonly workspaceId: string;
}

export interface KeyTraits {
  readonly scopes?: readonly string[];
  readonly rate_limit_per_minute?: number;
  readonly expires_at?: string;
}

/** Tokens are valid for an hour. */
const tokenUseMs = 50 * 60_000;

/** Every permission that an app can be granted. */
export const everyGrant = ['analytics_pii', 'attribution_write', 'connections', 'campaigns_apply', 'exports'];

/** Uses a partner app to create profiles, and keys with fewer scopes than the tested one. */
export class AppAccess {
  readonly #anonymous: Client;
  readonly #as: (secret: string) => Client;
  readonly #credentials: string | undefined;
  readonly #now: () => Date;
  readonly #tokens = new Map<string, { readonly client: Client; readonly until: number }>();

  constructor(anonymous: Client, as: (secret: string) => Client, credentials: string | undefined, now: () => Date) {
    this.#anonymous = anonymous;
    this.#as = as;
    this.#credentials = credentials;
    this.#now = now;
  }

  get isGiven(): boolean {
    return this.#credentials !== undefined;
  }

  /** A client with an app token for one of its profiles, or for none. */
  async client(profileId?: string): Promise<Client> {
    const cached = this.#tokens.get(profileId ?? '');
    if (cached && cached.until > this.#now().getTime()) return cached.client;
    const { status, body, text } = await this.token({ ...(profileId && { profile_id: profileId }) });
    assert.equal(status, 200, `The app got no token: ${text}`);
    const client = this.#as(body.access_token);
    this.#tokens.set(profileId ?? '', { client, until: this.#now().getTime() + tokenUseMs });
    return client;
  }

  token(fields: Readonly<Record<string, string>>) {
    const form = new URLSearchParams({ grant_type: 'client_credentials', ...fields }).toString();
    const basic = Buffer.from(this.#credentials ?? '').toString('base64');
    const headers = { authorization: `Basic ${basic}`, 'content-type': 'application/x-www-form-urlencoded' };
    return this.#anonymous.post('/oauth/token', form, { headers });
  }

  async createWorkspace(name: string, traits: object = {}): Promise<string> {
    const { status, body, text } = await (await this.client()).post('workspaces', { name, ...traits });
    assert.equal(status, 201, text);
    return body.data.id;
  }

  /** Creates a profile of the app, with attribution enabled and every grant unless stated otherwise. */
  async createProfile(name: string, traits: { privacy_mode?: string; workspaceId?: string } = {}): Promise<AppProfile> {
    const { workspaceId = await this.createWorkspace(name), ...rest } = traits;
    const token = await this.client();
    const { status, body, text } = await token.post('profiles', {
      workspace_id: workspaceId,
      name,
      is_test: true,
      ...rest,
    });
    assert.equal(status, 201, text);
    return { id: body.data.id, workspaceId };
  }

  async enable({ id }: AppProfile, fields: object = {}, grants: readonly string[] = everyGrant): Promise<void> {
    const token = await this.client();
    const granted = await token.put(`profiles/${id}/grant`, { scopes: grants });
    assert.equal(granted.status, 200, granted.text);
    const enabled = await token.put(`profiles/${id}/entitlements/atribu_attribution`, { enabled: true, ...fields });
    assert.equal(enabled.status, 200, enabled.text);
  }

  /** Creates a key of the profile; resolves to its secret. */
  async createKey(profileId: string, traits: KeyTraits = {}): Promise<string> {
    const { status, body, text } = await (await this.client(profileId)).post('keys', traits);
    assert.equal(status, 201, text);
    return body.data.key;
  }
}
