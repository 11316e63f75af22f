import type { Role } from '@tributary/contract';
import type { Tx } from '@tributary/postgres';
import { limits } from '@tributary/vocabulary';
import { sql } from 'kysely';

/** What assistants rest on: better-auth writes these tables, and looks them up by queries of its own, too. */

export interface FoundToken {
  readonly token_id: string;
  readonly user_id: string;
  readonly profile_id: string;
  readonly granted: string[];
  /** Null where the profile is not here, or the person is nothing in it. */
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

/** The consent that a person gave a client for a profile. */
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

/** Clients that nobody has allowed anything, counted up to a number. */
export async function countUnallowedClients(tx: Tx, upTo: number): Promise<number> {
  const { rows } = await sql<{ count: string }>`
    SELECT count(*) FROM (
      SELECT 1 FROM oauth_clients c
      WHERE NOT EXISTS (SELECT FROM oauth_consents o WHERE o.client_id = c.client_id) LIMIT ${upTo}) found`.execute(tx);
  return Number(rows[0]?.count);
}

/** With what they may reach. Resolves to how many went. */
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
