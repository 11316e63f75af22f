import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { Client, ResponseOf, Routes } from '@tributary/sdk';
import { clientFor } from '../client.ts';
import { t } from '../messages/index.ts';
import { datesOf, keyOf, type ReportScope } from '../queries.ts';
import { limits } from '../vocabulary.ts';
import type { Budget } from './budget.ts';

type Answer<Id extends keyof Routes> = ResponseOf<Routes[Id]>;
export type AdAction = Answer<'listAdActions'>['data'][number];
export type AdChange = Answer<'pauseAd'>['data'];
export type ExportTarget = Answer<'readExportCatalog'>['data']['exports'][number];
type Undo = NonNullable<AdAction['undo']>;

export const adActionsQuery = (profileId: string) =>
  infiniteQueryOptions({
    queryKey: [profileId, 'ad actions'],
    queryFn: ({ pageParam, signal }) =>
      clientFor(profileId).listAdActions({ query: pageParam ? { cursor: pageParam } : {}, signal }),
    initialPageParam: '',
    getNextPageParam: ({ pagination: { has_next: hasNext, cursor } }) => (hasNext ? cursor : undefined),
  });

/** The latest applied changes, for charts. */
export const appliedChangesQuery = (profileId: string) =>
  queryOptions({
    queryKey: [profileId, 'ad actions', 'applied'],
    queryFn: async ({ signal }) =>
      (await clientFor(profileId).listAdActions({ query: { state: 'applied', limit: limits.adActions }, signal })).data,
  });

/** Pauses or resumes a campaign or ad. A dry run checks everything at the platform and changes nothing. */
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

/** A campaign or ad set whose budget is changed, with its platform's id. */
export interface BudgetHolder {
  readonly level: 'campaign' | 'ad_set';
  readonly externalId: string;
}

export interface LiveBudget {
  readonly name: string;
  readonly status: string;
  readonly currency: string;
  /** Absent when this level has no daily budget. */
  readonly budget: Budget | undefined;
}

/** Reads the budget from the platform each time: one stored at the last sync may have changed since. */
export const liveBudgetQuery = (profileId: string, { level, externalId }: BudgetHolder) =>
  queryOptions({
    queryKey: [profileId, 'live budget', level, externalId],
    queryFn: async ({ signal }): Promise<LiveBudget> => {
      const request = { params: { id: externalId }, query: {}, signal };
      const client = clientFor(profileId);
      const { data } =
        level === 'campaign' ? await client.readCampaignStatus(request) : await client.readAdSetStatus(request);
      const { name, status, currency, daily_budget: decimal, daily_budget_minor: minor } = data;
      return { name, status, currency, budget: decimal !== null && minor !== null ? { decimal, minor } : undefined };
    },
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });

/** The ad sets of a campaign that were active on the report's dates. */
export const adSetsOfQuery = (scope: ReportScope, campaign: string) =>
  queryOptions({
    queryKey: ['campaigns', scope.profileId, 'ad sets of', ...keyOf(scope), campaign],
    queryFn: async ({ signal }) => {
      const query = { ...datesOf(scope), level: 'ad_set' as const, parent_id: campaign, limit: 100 };
      return (await clientFor(scope.profileId).listCampaigns({ query, signal })).data;
    },
  });

export async function changeBudget(
  profileId: string,
  { level, externalId }: BudgetHolder,
  minor: number,
  isDryRun: boolean,
  key: string,
  undoes?: string,
): Promise<AdChange> {
  const body = { daily_budget_minor: minor, dry_run: isDryRun, ...(undoes && { undoes }) };
  const request = { params: { id: externalId }, body, idempotencyKey: key };
  const client = clientFor(profileId);
  return level === 'campaign'
    ? (await client.updateCampaignBudget(request)).data
    : (await client.updateAdSetBudget(request)).data;
}

/** Sends the request that undoes a change, as the log describes it. */
export async function undo(profileId: string, { path, body }: Undo, isDryRun: boolean, key: string): Promise<AdChange> {
  const [, kind, id = '', verb] =
    /^\/api\/v1\/(campaigns|ads|adsets)\/([^/]+)\/(pause|resume|budget)$/.exec(path) ?? [];
  if (verb === 'budget') {
    const { daily_budget_minor: minor, undoes } = body as { daily_budget_minor: number; undoes?: string };
    const holder = { level: kind === 'adsets' ? 'ad_set' : 'campaign', externalId: decodeURIComponent(id) } as const;
    return changeBudget(profileId, holder, minor, isDryRun, key, undoes);
  }
  const level = kind === 'campaigns' ? 'campaign' : kind === 'ads' ? 'ad' : undefined;
  if (!level || (verb !== 'pause' && verb !== 'resume')) throw new Error(t.ads.undoByApi);
  return change(profileId, { level, id: decodeURIComponent(id), to: verb }, isDryRun, key);
}

/** The picture as an object URL of this page, or null if there is none. Cached while the page is open, which is how long object URLs live. */
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

export const exportCatalogQuery = (profileId: string) =>
  queryOptions({
    queryKey: [profileId, 'export catalog'],
    queryFn: async ({ signal }) => (await clientFor(profileId).readExportCatalog({ signal })).data,
  });

export const pixelsQuery = (profileId: string, connectionId: string) =>
  queryOptions({
    queryKey: [profileId, 'pixels', connectionId],
    queryFn: async ({ signal }) =>
      (await clientFor(profileId).listPixels({ params: { id: connectionId }, signal })).data.pixels,
  });

type SavedTarget = Omit<ExportTarget, 'id' | 'clean_dataset' | 'target'>;

/** The API replaces the whole catalog, so the targets of other accounts are sent unchanged. */
export const saveExportTarget = (client: Client, targets: readonly ExportTarget[], saved: SavedTarget) =>
  client.updateExportCatalog({
    body: {
      exports: [
        ...targets
          .filter(({ connection_id: id }) => id !== saved.connection_id)
          .map(({ id: _id, clean_dataset: _clean, target: _target, ...rest }): SavedTarget => rest),
        saved,
      ],
    },
  });
