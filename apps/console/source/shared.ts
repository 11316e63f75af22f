import type { QueryClient } from '@tanstack/react-query';
import { createClient, TributaryError } from '@tributary/sdk';
import { type Account, accountQuery, profileQuery } from './queries.ts';
import { forgetSharedLink, keepSharedLink } from './shared-link.ts';

/**
 * Opens a shared link and returns its path, or undefined if it has expired. Fills the query cache with all that pages may know about the profile and
 * reader.
 */
export async function openSharedView(queryClient: QueryClient, secret: string): Promise<string | undefined> {
  const client = createClient({ baseUrl: '', apiKey: secret });
  const answer = await client.readSharedView().catch((error: unknown) => {
    if (error instanceof TributaryError && error.is('unauthorized')) return undefined;
    throw error;
  });
  if (!answer) {
    forgetSharedLink();
    return undefined;
  }
  const { page, search, date_from: from, date_to: to, profile_name: name, ...profile } = answer.data;
  const profileId = answer.meta.profile_id;
  keepSharedLink({ secret, profileId, page });
  // A reader of a link has no account, and reports read no more of a profile than this, so neither is requested.
  const forGood = { updatedAt: Number.MAX_SAFE_INTEGER };
  queryClient.setQueryData(accountQuery.queryKey, { memberships: [] as Account['memberships'] } as Account, forGood);
  queryClient.setQueryData(
    profileQuery(profileId).queryKey,
    (before) => ({ ...before, ...profile, id: profileId, name }) as typeof before,
    forGood,
  );
  return `/p/${profileId}/${page}?${search && `${search}&`}from=${from}&to=${to}&compared=none`;
}
