import type { Ledger } from '@tributary/postgres';
import type { AppRateTier } from '@tributary/vocabulary';
import { v7 as uuid } from 'uuid';
import { hashSecret, mintSecret } from './secret.ts';

/** Apps are registered by the operator, through the owner of the schema: no request can make or change one. */
export interface AppRegistration {
  readonly name: string;
  readonly redirectUris: readonly string[];
  readonly allowedReturnOrigins: readonly string[];
  readonly rateTier: AppRateTier;
}

/** The secret is in the result and nowhere else. */
export async function registerApp(
  operator: Ledger,
  registration: AppRegistration,
  now: Date,
): Promise<{ clientId: string; clientSecret: string }> {
  const clientId = uuid();
  const clientSecret = mintSecret('clientSecret');
  await operator.transaction((tx) =>
    tx
      .insertInto('apps')
      .values({
        id: clientId,
        name: registration.name,
        client_secret_hash: hashSecret(clientSecret),
        redirect_uris: [...registration.redirectUris],
        allowed_return_origins: [...registration.allowedReturnOrigins],
        rate_tier: registration.rateTier,
        created_at: now,
      })
      .execute(),
  );
  return { clientId, clientSecret };
}

export async function resetAppSecret(operator: Ledger, clientId: string): Promise<string | undefined> {
  const clientSecret = mintSecret('clientSecret');
  const changed = await operator.transaction((tx) =>
    tx
      .updateTable('apps')
      .set({ client_secret_hash: hashSecret(clientSecret) })
      .where('id', '=', clientId)
      .returning('id')
      .executeTakeFirst(),
  );
  return changed && clientSecret;
}

/** From the commit on neither its tokens nor its keys work. */
export async function disableApp(operator: Ledger, clientId: string, now: Date): Promise<boolean> {
  const changed = await operator.transaction((tx) =>
    tx
      .updateTable('apps')
      .set({ disabled_at: now })
      .where('id', '=', clientId)
      .where('disabled_at', 'is', null)
      .returning('id')
      .executeTakeFirst(),
  );
  return changed !== undefined;
}

export const listApps = (operator: Ledger, limit: number) =>
  operator.transaction((tx) =>
    tx
      .selectFrom('apps')
      .select(['id', 'name', 'rate_tier', 'redirect_uris', 'created_at', 'disabled_at'])
      .orderBy('id')
      .limit(limit)
      .execute(),
  );
