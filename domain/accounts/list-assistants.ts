import { McpScope, type Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';

export const listAssistants: Handles<Routes['listAssistants']> = async (_input, { caller, ledger }) => {
  const rows = await ledger.transaction((tx) =>
    tx
      .selectFrom('oauth_consents')
      .innerJoin('oauth_clients', 'oauth_clients.client_id', 'oauth_consents.client_id')
      .select([
        'oauth_consents.id',
        'oauth_clients.name',
        'oauth_consents.reference_id',
        'oauth_consents.scopes',
        'oauth_consents.updated_at',
      ])
      .where('oauth_consents.user_id', '=', caller.userId)
      .orderBy('oauth_consents.updated_at', 'desc')
      .execute(),
  );
  return answer(200, {
    data: rows.map(({ id, name, reference_id, scopes, updated_at }) => ({
      id,
      name,
      profile_id: reference_id as string,
      scopes: McpScope.options.filter((scope) => (scopes as string[]).includes(scope)),
      allowed_at: updated_at.toISOString(),
    })),
  });
};
