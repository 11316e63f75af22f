import type { Scope } from '@tributary/contract';
import { hashSecret, mintSecret } from '@tributary/domain/tenancy/credentials/module.ts';
import type { Postgres } from '@tributary/postgres';
import { v7 as uuid } from 'uuid';

export interface BuiltKey {
  readonly id: string;
  readonly secret: string;
  readonly headers: { readonly authorization: string };
}

export interface KeyTraits {
  readonly scopes?: readonly Scope[];
  readonly appId?: string;
  readonly requestsPerMinute?: number;
  /** Null for keys minted before this was recorded. */
  readonly isRateSet?: boolean | null;
  readonly expiresAt?: Date;
}

/** Inserts an active API key of a profile. */
export async function buildApiKey(postgres: Postgres, profileId: string, traits: KeyTraits = {}): Promise<BuiltKey> {
  const id = uuid();
  const secret = mintSecret('apiKey');
  await postgres.forProfile(profileId).transaction((tx) =>
    tx
      .insertInto('api_keys')
      .values({
        profile_id: profileId,
        id,
        app_id: traits.appId ?? null,
        name: 'Test key',
        hash: hashSecret(secret),
        prefix: secret.slice(0, 14),
        last4: secret.slice(-4),
        scopes: [...(traits.scopes ?? ['campaigns:read', 'attribution:write'])],
        requests_per_minute: traits.requestsPerMinute ?? 60_000,
        is_rate_set: traits.isRateSet === undefined ? true : traits.isRateSet,
        created_at: new Date('2026-01-01T00:00:00Z'),
        expires_at: traits.expiresAt ?? null,
      })
      .execute(),
  );
  return { id, secret, headers: { authorization: `Bearer ${secret}` } };
}

/** Inserts an active shared link to a page of the console, for all dates. */
export async function buildSharedLink(
  postgres: Postgres,
  profileId: string,
): Promise<{ readonly id: string; readonly secret: string }> {
  const [id, secret] = [uuid(), mintSecret('sharedView')];
  await postgres.forProfile(profileId).transaction((tx) =>
    tx
      .insertInto('shared_views')
      .values({
        profile_id: profileId,
        id,
        hash: hashSecret(secret),
        name: 'A link',
        page: 'campaigns',
        search: '',
        date_from: '0001-01-01',
        date_to: '9999-12-31',
        made_by: uuid(),
        created_at: new Date('2026-01-01T00:00:00Z'),
      })
      .execute(),
  );
  return { id, secret };
}

export async function buildSavedView(postgres: Postgres, profileId: string): Promise<string> {
  const id = uuid();
  const view = { name: `View ${id}`, page: 'campaigns', search: '', saved_by: uuid() };
  await postgres.forProfile(profileId).transaction((tx) =>
    tx
      .insertInto('saved_views')
      .values({ profile_id: profileId, id, ...view, saved_at: new Date('2026-01-01T00:00:00Z') })
      .execute(),
  );
  return id;
}

/** Inserts a scheduled report without recipients. */
export async function buildReportMail(postgres: Postgres, profileId: string): Promise<string> {
  const id = uuid();
  await postgres.forProfile(profileId).transaction((tx) =>
    tx
      .insertInto('report_mails')
      .values({
        profile_id: profileId,
        id,
        page: 'overview',
        model: 'last_touch',
        every: 'week',
        language: 'en',
        recipients: [uuid()],
        made_by: uuid(),
        created_at: new Date('2026-01-01T00:00:00Z'),
        due_at: new Date('9000-01-01T00:00:00Z'),
      })
      .execute(),
  );
  return id;
}
