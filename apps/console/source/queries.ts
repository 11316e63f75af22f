import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { RequestOf, ResponseOf, Routes } from '@tributary/sdk';
import { defaultAttributionModel, singleModels } from '@tributary/vocabulary';
import { accountClient, clientFor } from './client.ts';
import { type Level, type Model, modelNames, type ScoreWindow } from './search.ts';
import { limits } from './vocabulary.ts';

/** The API queries of the screens, one function per query. */

export interface ReportScope {
  readonly profileId: string;
  readonly from: string;
  readonly to: string;
  /** Shows the figures as of the end of this day; absent: current figures. */
  readonly asOf?: string | undefined;
}

type Answer<Id extends keyof Routes> = ResponseOf<Routes[Id]>;
export type Account = Answer<'readAccount'>['data'];
export type OverviewAnswer = Answer<'readOverview'>;
export type CampaignRow = Answer<'listCampaigns'>['data'][number];
export type CohortRow = Answer<'listCohorts'>['data'][number];
export type UnattributedRow = Answer<'readUnattributed'>['data'];
export type Comparison = Answer<'readPlatformComparison'>;
export type TopPerformer = Answer<'listTopPerformers'>['data'][number];
export type Explanation = Answer<'explain'>;
export type ExplainedConversion = Explanation['data']['conversions'][number];
export type ExplainedDelivery = Explanation['data']['delivery'][number];
export type CustomerRow = Answer<'listCustomers'>['data'][number];
export type CustomerCandidate = Answer<'searchCustomers'>['data'][number];
export type JourneyEvent = Answer<'readCustomerJourney'>['data']['events'][number];
type ConversionJourney = Answer<'readConversionJourney'>;
type WholeJourney = Extract<ConversionJourney, { meta: { person: unknown } }>;
type ProjectedJourney = Extract<ConversionJourney, { meta: { conversion: unknown } }>;
export type JourneyPerson = WholeJourney['meta']['person'];
export type JourneyTouch = ProjectedJourney['data']['events'][number];
export type CustomerData = Answer<'readCustomerExport'>['data'];
export type WholeIdentity = Answer<'readCustomerIdentity'>['data'];
export type MergeProposal = Answer<'listMergeProposals'>['data'][number];
export type ProposalState = MergeProposal['state'];
export type IdentityMerge = WholeIdentity['merges'][number];
export type ErasureRequest = RequestOf<Routes['createCustomerErasure']>['body'];

export const datesOf = ({ from, to }: ReportScope) => ({ date_from: from, date_to: to });
export const keyOf = ({ profileId, from, to, asOf }: ReportScope) => [profileId, from, to, asOf] as const;
/** For reports that support `as_of`. */
export const reportOf = (scope: ReportScope) => ({
  ...datesOf(scope),
  ...(scope.asOf && { as_of: endOf(scope.asOf) }),
});
export const endOf = (day: string) => `${day}T23:59:59.999Z`;

export const accountQuery = queryOptions({
  queryKey: ['account'],
  queryFn: async ({ signal }) => (await accountClient.readAccount({ signal })).data,
  staleTime: 5 * 60_000,
});

export const passkeysQuery = queryOptions({
  queryKey: ['account', 'passkeys'],
  queryFn: async ({ signal }) => (await accountClient.listPasskeys({ signal })).data,
});

export const assistantsQuery = queryOptions({
  queryKey: ['account', 'assistants'],
  queryFn: async ({ signal }) => (await accountClient.listAssistants({ signal })).data,
  staleTime: 0,
});

export const sessionsQuery = queryOptions({
  queryKey: ['account', 'sessions'],
  queryFn: async ({ signal }) => (await accountClient.listSessions({ signal })).data,
});

export const profileQuery = (profileId: string) =>
  queryOptions({
    queryKey: ['profile', profileId],
    queryFn: async ({ signal }) => (await clientFor(profileId).readProfile({ signal })).data,
    staleTime: 5 * 60_000,
  });

/** How often an empty report is refetched, so that the first figures appear without a reload. */
export const emptyRecheckMs = 5_000;

export const overviewQuery = (scope: ReportScope) =>
  queryOptions({
    queryKey: ['overview', ...keyOf(scope)],
    queryFn: ({ signal }) => clientFor(scope.profileId).readOverview({ query: reportOf(scope), signal }),
  });

/** The maximum number of loaded rows. Larger reports show a notice. */
export const maxRows = 1_000;

/** A multi-touch model is replaced by last touch: a customer has exactly one acquisition source. */
export const cohortsQuery = (scope: ReportScope, model: Model) =>
  queryOptions({
    queryKey: ['cohorts', ...keyOf(scope), model],
    queryFn: async ({ signal }) => {
      const single = singleModels.find((name) => name === model) ?? defaultAttributionModel;
      const query = { ...datesOf(scope), model: single, limit: 100 };
      const rows: CohortRow[] = [];
      for (let cursor: string | undefined; ; ) {
        const page = await clientFor(scope.profileId).listCohorts({
          query: { ...query, ...(cursor && { cursor }) },
          signal,
        });
        rows.push(...page.data);
        const { has_next: hasNext, cursor: next } = page.pagination;
        if (!hasNext || next === null || rows.length >= maxRows)
          return { rows, currency: page.meta.currency, isCut: hasNext };
        cursor = next;
      }
    },
  });

/** The top rows by attributed revenue. */
export const earnersQuery = (scope: ReportScope, level: Level, model: Model) =>
  queryOptions({
    queryKey: ['earners', ...keyOf(scope), level, model],
    queryFn: async ({ signal }) =>
      (
        await clientFor(scope.profileId).listCampaigns({
          query: { ...reportOf(scope), level, model, limit: mostEarners },
          signal,
        })
      ).data,
  });

const mostEarners = 5;

export const unattributedQuery = (scope: ReportScope, level: Level, model: Model) =>
  queryOptions({
    queryKey: ['unattributed', ...keyOf(scope), level, model],
    queryFn: async ({ signal }) =>
      (await clientFor(scope.profileId).readUnattributed({ query: { ...reportOf(scope), level, model }, signal })).data,
  });

/** One campaign, ad set or ad, by our id or the platform's. */
export const entityQuery = (scope: ReportScope, id: string, level: Level, model: Model) =>
  queryOptions({
    queryKey: ['entity', ...keyOf(scope), id, level, model],
    queryFn: async ({ signal }) => {
      const query = { ...reportOf(scope), level, model };
      return (await clientFor(scope.profileId).readAd({ params: { id }, query, signal })).data;
    },
  });

export interface ModelFigures {
  readonly model: Model;
  readonly figures: Omit<UnattributedRow, 'partly_credited_count'> & Partial<Pick<CampaignRow, 'roas' | 'cac'>>;
}

/** One row under every model: a campaign, ad set or ad, or the unattributed rest. */
export const sixModelsQuery = (scope: ReportScope, entity: string, level: Level) =>
  queryOptions({
    queryKey: ['six models', ...keyOf(scope), entity, level],
    queryFn: ({ signal }) =>
      Promise.all(
        modelNames.map(async (model): Promise<ModelFigures> => {
          const client = clientFor(scope.profileId);
          const query = { ...reportOf(scope), level, model };
          const { data } =
            entity === 'unattributed'
              ? await client.readUnattributed({ query, signal })
              : await client.readAd({ params: { id: entity }, query, signal });
          return { model, figures: data };
        }),
      ),
  });

export const comparisonQuery = (scope: ReportScope, level: Level, model: Model) =>
  queryOptions({
    queryKey: ['comparison', ...keyOf(scope), level, model],
    queryFn: ({ signal }) =>
      clientFor(scope.profileId).readPlatformComparison({ query: { ...reportOf(scope), level, model }, signal }),
  });

export const topPerformersQuery = (profileId: string, window: ScoreWindow) =>
  queryOptions({
    queryKey: ['top performers', profileId, window],
    queryFn: async ({ signal }) => {
      const query = { window, limit: limits.topPerformers };
      return (await clientFor(profileId).listTopPerformers({ query, signal })).data;
    },
  });

/** A goal is a conversion type; several definitions may share one type. */
export const goalsQuery = (profileId: string) =>
  queryOptions({
    queryKey: ['goals', profileId],
    queryFn: async ({ signal }) => {
      const { data } = await clientFor(profileId).listGoalDefinitions({ signal });
      return {
        types: [...new Set(data.map(({ conversion_type: type }) => type))].toSorted(),
        /** The attribution windows in days of goals that are eligible for attribution, shortest first. */
        windows: [
          ...new Set(
            data.flatMap(({ is_attribution_eligible: isEligible, lookback_window_days: days }) =>
              isEligible ? [days] : [],
            ),
          ),
        ].toSorted((a, b) => a - b),
      };
    },
    staleTime: 5 * 60_000,
  });

export const customersQuery = (scope: ReportScope, goal: string, search: string) =>
  infiniteQueryOptions({
    queryKey: ['customers', ...keyOf(scope), goal, search],
    queryFn: ({ pageParam, signal }) => {
      const [cursor_time, cursor_id] = pageParam.split('|');
      return clientFor(scope.profileId).listCustomers({
        query: {
          ...datesOf(scope),
          goal,
          limit: customersOfPage,
          ...(search && { search }),
          ...(cursor_time && cursor_id && { cursor_time, cursor_id }),
        },
        signal,
      });
    },
    initialPageParam: '',
    getNextPageParam: ({ pagination: { has_next: hasNext, cursor } }) => (hasNext ? cursor : undefined),
  });

const customersOfPage = Math.min(50, limits.customers);

/** Covers all dates, whether or not the customers reached a goal. */
export const mergeProposalsQuery = (profileId: string, state: ProposalState) =>
  infiniteQueryOptions({
    queryKey: ['merge-proposals', profileId, state],
    queryFn: ({ pageParam, signal }) =>
      clientFor(profileId).listMergeProposals({ query: { state, ...(pageParam && { cursor: pageParam }) }, signal }),
    initialPageParam: '',
    getNextPageParam: ({ pagination: { has_next: hasNext, cursor } }) => (hasNext ? cursor : undefined),
  });

export const customerSearchQuery = (profileId: string, text: string) =>
  infiniteQueryOptions({
    queryKey: ['found', profileId, text],
    queryFn: ({ pageParam, signal }) =>
      clientFor(profileId).searchCustomers({ query: { q: text, ...(pageParam && { cursor: pageParam }) }, signal }),
    initialPageParam: '',
    getNextPageParam: ({ pagination: { has_next: hasNext, cursor } }) => (hasNext ? cursor : undefined),
    enabled: text.length >= limits.searchMinCharacters,
  });

/** Journeys are paginated by offset. */
interface JourneyPage {
  readonly data: { readonly events: readonly unknown[]; readonly total_count: number };
}
const nextOffset = ({ data: { events, total_count: total } }: JourneyPage, _pages: unknown, offset: number) =>
  events.length > 0 && offset + events.length < total ? offset + events.length : undefined;

export const customerJourneyQuery = (profileId: string, id: string) =>
  infiniteQueryOptions({
    queryKey: ['customer journey', profileId, id],
    queryFn: ({ pageParam: offset, signal }) =>
      clientFor(profileId).readCustomerJourney({
        params: { id },
        query: { offset, limit: limits.journey.default },
        signal,
      }),
    initialPageParam: 0,
    getNextPageParam: nextOffset,
  });

/** The journey before a conversion and its customer. Only for members who may see customers. */
export const conversionJourneyQuery = (profileId: string, id: string) =>
  infiniteQueryOptions({
    queryKey: ['conversion journey', profileId, id],
    queryFn: async ({ pageParam: offset, signal }) =>
      (await clientFor(profileId).readConversionJourney({
        params: { id },
        query: { offset, limit: limits.journey.default },
        signal,
      })) as WholeJourney,
    initialPageParam: 0,
    getNextPageParam: nextOffset,
  });

/** The touches of a conversion and the credit of each, without personal data. */
export const creditQuery = (profileId: string, id: string) =>
  infiniteQueryOptions({
    queryKey: ['credit', profileId, id],
    queryFn: async ({ pageParam: offset, signal }) =>
      (await clientFor(profileId).readConversionJourney({
        params: { id },
        query: { offset, limit: limits.journey.max, view: 'projection' },
        signal,
      })) as ProjectedJourney,
    initialPageParam: 0,
    getNextPageParam: nextOffset,
  });

/** The `meta.person` of journeys, looked up by a conversion or by an identifier. */
export type CustomerLookup =
  | { readonly conversion: string }
  | { readonly customer_key: string }
  | { readonly email: string }
  | { readonly phone: string };

export const personQuery = (profileId: string, lookup: CustomerLookup) =>
  queryOptions({
    queryKey: ['person', profileId, lookup],
    queryFn: async ({ signal }) => {
      const client = clientFor(profileId);
      const answer =
        'conversion' in lookup
          ? await client.readConversionJourney({ params: { id: lookup.conversion }, query: { limit: 1 }, signal })
          : await client.readJourneyByKey({ query: { ...lookup, limit: 1 }, signal });
      return (answer as WholeJourney).meta.person;
    },
  });

/** The maximum number of listed items of each kind; the API has the rest. */
export const maxListed = 100;

export const customerDataQuery = (profileId: string, id: string) =>
  queryOptions({
    queryKey: ['held', profileId, id],
    queryFn: async ({ signal }) =>
      (await clientFor(profileId).readCustomerExport({ params: { id }, query: { limit: maxListed }, signal })).data,
  });

export const identityQuery = (profileId: string, id: string) =>
  queryOptions({
    queryKey: ['identity', profileId, id],
    queryFn: async ({ signal }) => (await clientFor(profileId).readCustomerIdentity({ params: { id }, signal })).data,
  });

const receiptEveryMs = 5_000;

export const receiptQuery = (profileId: string, id: string) =>
  queryOptions({
    queryKey: ['receipt', profileId, id],
    queryFn: async ({ signal }) =>
      (await clientFor(profileId).readErasure({ params: { erasure_id: id }, signal })).data,
    refetchInterval: ({ state }) => (state.data?.status === 'queued' ? receiptEveryMs : false),
  });
