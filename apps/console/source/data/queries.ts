import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { RequestOf, ResponseOf, Routes } from '@tributary/sdk';
import { clientFor } from '../client.ts';
import { dayIn } from '../format.ts';
import { datesOf, type ReportScope } from '../queries.ts';

/** The API queries of the pages about data sources. */

type Answer<Id extends keyof Routes> = ResponseOf<Routes[Id]>;
export type Connection = Answer<'listConnections'>['data'][number];
export type GoalDefinition = Answer<'listGoalDefinitions'>['data'][number];
export type ReceivedEvent = Answer<'listReceivedEvents'>['data'][number];
export type SearchTerm = Answer<'listSearchTerms'>['data'][number];
export type Stage = Answer<'listStages'>['data']['stages'][number];

const busyEveryMs = 3_000;

/** Not paginated: the connections of a profile fit into one page. Polls while one is syncing. */
export const connectionsQuery = (profileId: string) =>
  queryOptions({
    queryKey: [profileId, 'connections'],
    queryFn: async ({ signal }) => (await clientFor(profileId).listConnections({ query: { limit: 100 }, signal })).data,
    refetchInterval: ({ state }) => (state.data?.some(isSyncing) ? busyEveryMs : false),
  });

export const isSyncing = ({ sync }: Pick<Connection, 'sync'>): boolean =>
  sync.state === 'running' || sync.state === 'queued';

/** Polls slowly, because members leave the page open. */
export const alertsQuery = (profileId: string) =>
  queryOptions({
    queryKey: ['alerts', profileId],
    queryFn: async ({ signal }) => (await clientFor(profileId).listAlerts({ signal })).data,
    refetchInterval: 5 * 60_000,
  });

export const handoffQuery = (profileId: string, id: string | undefined) =>
  queryOptions({
    queryKey: [profileId, 'hand-off', id],
    queryFn: async ({ signal }) => (await clientFor(profileId).readHandoff({ params: { id: id ?? '' }, signal })).data,
    enabled: id !== undefined,
    refetchInterval: ({ state }) => (state.data?.status === 'pending' ? busyEveryMs : false),
  });

export const candidatesQuery = (
  profileId: string,
  provider: RequestOf<Routes['listPendingAccounts']>['params']['provider'],
) =>
  queryOptions({
    queryKey: [profileId, 'candidates', provider],
    queryFn: async ({ signal }) =>
      (await clientFor(profileId).listPendingAccounts({ params: { provider }, signal })).data,
  });

/** Null: the profile has no chatbot connection. */
export const chatbotQuery = (profileId: string) =>
  queryOptions({
    queryKey: [profileId, 'connections', 'chatbot'],
    queryFn: async ({ signal }) => (await clientFor(profileId).readChatbotConnection({ signal })).data,
  });

export const stagesQuery = (profileId: string) =>
  queryOptions({
    queryKey: [profileId, 'connections', 'stages'],
    queryFn: async ({ signal }) =>
      (await clientFor(profileId).listStages({ params: { provider: 'crm_a' }, query: { locale: 'en' }, signal })).data,
  });

/** Not paginated: the definitions of a profile fit into one page. */
export const definitionsQuery = (profileId: string) =>
  queryOptions({
    queryKey: [profileId, 'goal definitions'],
    queryFn: async ({ signal }) => (await clientFor(profileId).listGoalDefinitions({ signal })).data,
  });

export const receivedEventsQuery = (profileId: string) =>
  queryOptions({
    queryKey: [profileId, 'received events'],
    queryFn: async ({ signal }) => (await clientFor(profileId).listReceivedEvents({ signal })).data,
  });

export const searchTermsQuery = (scope: ReportScope) =>
  infiniteQueryOptions({
    queryKey: [scope.profileId, 'search terms', scope.from, scope.to],
    queryFn: ({ pageParam, signal }) =>
      clientFor(scope.profileId).listSearchTerms({
        query: { ...datesOf(scope), ...(pageParam && { cursor: pageParam }) },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: ({ pagination: { has_next: hasNext, cursor } }) => (hasNext ? cursor : undefined),
  });

export const qualityQuery = (scope: ReportScope) =>
  queryOptions({
    queryKey: [scope.profileId, 'tracking quality', scope.from, scope.to],
    queryFn: async ({ signal }) =>
      (await clientFor(scope.profileId).readTrackingQuality({ query: datesOf(scope), signal })).data,
  });

export const verificationQuery = (profileId: string) =>
  queryOptions({
    queryKey: [profileId, 'verification'],
    queryFn: async ({ signal }) => (await clientFor(profileId).readTrackingVerification({ signal })).data,
    refetchInterval: ({ state }) => (state.data?.status === 'pending' ? busyEveryMs : false),
  });

type TrackingQuality = Answer<'readTrackingQuality'>['data'];

/** The tracker's data of the last days. */
export interface Receipt {
  readonly kind: 'none' | 'bot' | 'visit';
  readonly lastAt: string | null;
}

export function receiptOf({ total, last_visit_at: lastAt }: TrackingQuality): Receipt {
  if (total.accepted > total.bots) return { kind: 'visit', lastAt };
  if (total.bots > 0) return { kind: 'bot', lastAt };
  return { kind: lastAt === null ? 'none' : 'visit', lastAt };
}

const recentDays = 7;

/** Polls every few seconds until a visit arrives that is not a bot's. */
export const recentVisitsQuery = (profileId: string, timeZone: string | undefined) =>
  queryOptions({
    queryKey: [profileId, 'recent visits', timeZone],
    queryFn: async ({ signal }) => {
      const now = Date.now();
      const at = (time: number) => dayIn(new Date(time).toISOString(), timeZone ?? 'UTC');
      const query = { date_from: at(now - (recentDays - 1) * 86_400_000), date_to: at(now) };
      return (await clientFor(profileId).readTrackingQuality({ query, signal })).data;
    },
    enabled: timeZone !== undefined,
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data && receiptOf(state.data).kind === 'visit' ? false : busyEveryMs),
  });

/** Null: the profile has no tracking key yet. */
export const snippetQuery = (profileId: string) =>
  queryOptions({
    queryKey: [profileId, 'snippet'],
    queryFn: async ({ signal }): Promise<string | null> => {
      const { data: keys } = await clientFor(profileId).listTrackingKeys({ signal });
      return keys.length === 0 ? null : String(await clientFor(profileId).readTrackingSnippet({ signal }));
    },
  });

export const exportRunsQuery = (profileId: string) =>
  infiniteQueryOptions({
    queryKey: [profileId, 'exports'],
    queryFn: ({ pageParam, signal }) =>
      clientFor(profileId).listExports({ query: pageParam ? { cursor: pageParam } : {}, signal }),
    initialPageParam: '',
    getNextPageParam: ({ pagination: { has_next: hasNext, cursor } }) => (hasNext ? cursor : undefined),
  });

export const exportPreviewQuery = (profileId: string, connectionId: string) =>
  queryOptions({
    queryKey: [profileId, 'export preview', connectionId],
    queryFn: async ({ signal }) =>
      (await clientFor(profileId).previewExports({ query: { connection_id: connectionId }, signal })).data,
  });
