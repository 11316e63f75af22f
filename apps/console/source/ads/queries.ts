import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { AnswerTo, Routes } from '@tributary/sdk';
import { clientFor } from '../client.ts';
import { limits } from '../vocabulary.ts';
import { say } from '../words/index.ts';

type Answer<Id extends keyof Routes> = AnswerTo<Routes[Id]>;
export type AdAction = Answer<'listAdActions'>['data'][number];
export type AdChange = Answer<'pauseAd'>['data'];
type Undo = NonNullable<AdAction['undo']>;

export const adActionsQuery = (profileId: string) =>
  infiniteQueryOptions({
    queryKey: [profileId, 'ad actions'],
    queryFn: ({ pageParam, signal }) =>
      clientFor(profileId).listAdActions({ query: pageParam ? { cursor: pageParam } : {}, signal }),
    initialPageParam: '',
    getNextPageParam: ({ pagination: { has_next: hasNext, cursor } }) => (hasNext ? cursor : undefined),
  });

/** The newest changes that were made, for charts. */
export const appliedChangesQuery = (profileId: string) =>
  queryOptions({
    queryKey: [profileId, 'ad actions', 'applied'],
    queryFn: async ({ signal }) =>
      (await clientFor(profileId).listAdActions({ query: { state: 'applied', limit: limits.adActions }, signal })).data,
  });

/** Pauses or resumes a campaign or ad. A dry run checks everything at the platform, and sends and keeps nothing. */
export async function change(
  profileId: string,
  what: { readonly level: 'campaign' | 'ad'; readonly id: string; readonly to: 'pause' | 'resume' },
  isDryRun: boolean,
  key: string,
): Promise<AdChange> {
  const client = clientFor(profileId);
  const request = { params: { id: what.id }, body: { dry_run: isDryRun }, idempotencyKey: key };
  switch (`${what.level} ${what.to}` as const) {
    case 'campaign pause':
      return (await client.pauseCampaign(request)).data;
    case 'campaign resume':
      return (await client.resumeCampaign(request)).data;
    case 'ad pause':
      return (await client.pauseAd(request)).data;
    case 'ad resume':
      return (await client.resumeAd(request)).data;
  }
}

/** Sends the request that takes a change back, as the ledger says it. */
export async function undo(profileId: string, { path, body }: Undo, isDryRun: boolean, key: string): Promise<AdChange> {
  const [, kind, id = '', verb] =
    /^\/api\/v1\/(campaigns|ads|adsets)\/([^/]+)\/(pause|resume|budget)$/.exec(path) ?? [];
  if (kind === 'adsets') {
    const { daily_budget_minor, undoes } = body as { daily_budget_minor: number; undoes?: string };
    const request = { daily_budget_minor, ...(undoes && { undoes }), dry_run: isDryRun };
    return (
      await clientFor(profileId).updateAdSetBudget({
        params: { id: decodeURIComponent(id) },
        body: request,
        idempotencyKey: key,
      })
    ).data;
  }
  const level = kind === 'campaigns' ? 'campaign' : kind === 'ads' ? 'ad' : undefined;
  if (!level || (verb !== 'pause' && verb !== 'resume')) throw new Error(say.ads.undoByApi);
  return change(profileId, { level, id: decodeURIComponent(id), to: verb }, isDryRun, key);
}

/** An address of this page's own, or null where there is none. Kept while the page is open, which is as long as such an address lives. */
export const pictureQuery = (profileId: string, adId: string) =>
  queryOptions({
    queryKey: ['picture', profileId, adId],
    queryFn: async ({ signal }) => {
      const picture = await clientFor(profileId).readCreativePicture({ params: { id: adId }, signal });
      return picture ? URL.createObjectURL(picture) : null;
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  });
