import type { Role } from '@tributary/contract';
import type { Tx } from '@tributary/postgres';
import { limits } from '@tributary/vocabulary';
import { sql } from 'kysely';

/** Queries on the OAuth tables, which better-auth writes and also queries itself. */

export interface FoundToken {
  readonly token_id: string;
  readonly user_id: string;
  readonly profile_id: string;
  readonly granted: string[];
  /** Null if the profile is not on this server or the user is not a member. */
  readonly workspace_id: string | null;
  readonly role: Role | null;
  readonly is_attribution_enabled: boolean | null;
  readonly is_healthcare: boolean | null;
}

export const findMcpToken = (hash: string, at: Date) =>
  sql<FoundToken>`SELECT * FROM find_assistant_token(${hash}, ${at})`;

export const listConsents = (tx: Tx, userId: string) =>
  tx
    .selectFrom('oauth_consents')
    .innerJoin('oauth_clients', 'oauth_clients.client_id', 'oauth_consents.client_id')
    .select([
      'oauth_consents.id',
      'oauth_clients.name',
      'oauth_consents.reference_id',
      'oauth_consents.scopes',
      'oauth_consents.created_at',
      'oauth_consents.updated_at',
    ])
    .where('oauth_consents.user_id', '=', userId)
    .orderBy('oauth_consents.updated_at', 'desc')
    .execute();

/** The consent of a user for a client and a profile. */
export const findConsent = (tx: Tx, userId: string, clientId: string, profileId: string) =>
  tx
    .selectFrom('oauth_consents')
    .select('id')
    .where('user_id', '=', userId)
    .where('client_id', '=', clientId)
    .where('reference_id', '=', profileId)
    .executeTakeFirst();

export const findConsentOf = (tx: Tx, id: string, userId: string) =>
  tx
    .selectFrom('oauth_consents')
    .select(['id', 'reference_id'])
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .execute();

export const removeConsent = (tx: Tx, id: string, userId: string) =>
  tx.deleteFrom('oauth_consents').where('id', '=', id).where('user_id', '=', userId).returning('id').executeTakeFirst();

/** Counts clients without consent, up to a limit. */
export async function countUnallowedClients(tx: Tx, upTo: number): Promise<number> {
  const { rows } = await sql<{ count: string }>`
    SELECT count(*) FROM (
      SELECT 1 FROM oauth_clients c
      WHERE NOT EXISTS (SELECT FROM oauth_consents o WHERE o.client_id = c.client_id) LIMIT ${upTo}) found`.execute(tx);
  return Number(rows[0]?.count);
}

/** Deletes clients without consent; their rows in other tables follow by cascade. Resolves to the number of deleted clients. */
export async function removeUnallowedClients(tx: Tx, before: Date, upTo: number): Promise<number> {
  const { rows } = await sql`
    DELETE FROM oauth_clients WHERE id IN (
      SELECT id FROM oauth_clients c
      WHERE created_at < ${before} AND NOT EXISTS (SELECT FROM oauth_consents o WHERE o.client_id = c.client_id)
      LIMIT ${upTo})
    RETURNING 1`.execute(tx);
  return rows.length;
}

/** Deletes the oldest clients without consent. Resolves to the number of deleted clients. */
export async function deleteOldestUnallowedClients(tx: Tx, before: Date): Promise<number> {
  const { rows } = await sql<{ replaced: string }>`
    SELECT replace_unallowed_clients(${before}, ${limits.assistants.replacedAtOnce}) AS replaced`.execute(tx);
  return Number(rows[0]?.replaced);
}

export const findClient = (tx: Tx, clientId: string) =>
  tx
    .selectFrom('oauth_clients')
    .select('name')
    .where('client_id', '=', clientId)
    .where('disabled', 'is not', true)
    .executeTakeFirst();
