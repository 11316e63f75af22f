import type { QueryClient } from '@tanstack/react-query';
import { createClient, TributaryError } from '@tributary/sdk';
import { type Account, accountQuery, profileQuery } from './queries.ts';
import { forgetSharedLink, keepSharedLink } from './shared-link.ts';

/** Opens what a link shows: its address, or undefined where it is over. All that a page knows of its profile and its reader is set here. */
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
  // Nobody is signed in, and reports read no more of a profile than this: neither is asked for.
  const forGood = { updatedAt: Number.MAX_SAFE_INTEGER };
  queryClient.setQueryData(accountQuery.queryKey, { memberships: [] as Account['memberships'] } as Account, forGood);
  queryClient.setQueryData(
    profileQuery(profileId).queryKey,
    (before) => ({ ...before, ...profile, id: profileId, name }) as typeof before,
    forGood,
  );
  return `/p/${profileId}/${page}?${search && `${search}&`}from=${from}&to=${to}&compared=none`;
}
