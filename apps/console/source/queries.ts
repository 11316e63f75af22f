import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { AnswerTo, RequestOf, Routes } from '@tributary/sdk';
import { defaultAttributionModel, singleModels } from '@tributary/vocabulary';
import { accountClient, clientFor } from './client.ts';
import { type Level, type Model, modelNames, type ScoreWindow } from './search.ts';
import { limits } from './vocabulary.ts';

/** Everything the screens ask the API, one function a question. */

/** Which numbers are meant: a profile's, of these days. */
export interface Place {
  readonly profileId: string;
  readonly from: string;
  readonly to: string;
  /** As they stood when this day ended; absent: as they stand. */
  readonly asOf?: string | undefined;
}

type Answer<Id extends keyof Routes> = AnswerTo<Routes[Id]>;
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
export type Held = Answer<'readCustomerExport'>['data'];
export type WholeIdentity = Answer<'readCustomerIdentity'>['data'];
export type MergeProposal = Answer<'listMergeProposals'>['data'][number];
export type ProposalState = MergeProposal['state'];
export type IdentityMerge = WholeIdentity['merges'][number];
export type ErasureRequest = RequestOf<Routes['createCustomerErasure']>['body'];

export const datesOf = ({ from, to }: Place) => ({ date_from: from, date_to: to });
export const keyOf = ({ profileId, from, to, asOf }: Place) => [profileId, from, to, asOf] as const;
/** Of reports, which can be had as they stood. */
export const reportOf = (place: Place) => ({ ...datesOf(place), ...(place.asOf && { as_of: endOf(place.asOf) }) });
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

/** How often a report without figures is read again, so that the first ones appear without a reload. */
export const emptyRecheckMs = 5_000;

export const overviewQuery = (place: Place) =>
  queryOptions({
    queryKey: ['overview', ...keyOf(place)],
    queryFn: ({ signal }) => clientFor(place.profileId).readOverview({ query: reportOf(place), signal }),
  });

/** More rows than anybody reads; who has more sees the first of them, and is told so. */
export const mostRows = 1_000;

/** Of a model that shares, those of the last touch: nobody is acquired by two. */
export const cohortsQuery = (place: Place, model: Model) =>
  queryOptions({
    queryKey: ['cohorts', ...keyOf(place), model],
    queryFn: async ({ signal }) => {
      const single = singleModels.find((name) => name === model) ?? defaultAttributionModel;
      const query = { ...datesOf(place), model: single, limit: 100 };
      const rows: CohortRow[] = [];
      for (let cursor: string | undefined; ; ) {
        const page = await clientFor(place.profileId).listCohorts({
          query: { ...query, ...(cursor && { cursor }) },
          signal,
        });
        rows.push(...page.data);
        const { has_next: hasNext, cursor: next } = page.pagination;
        if (!hasNext || next === null || rows.length >= mostRows)
          return { rows, currency: page.meta.currency, isCut: hasNext };
        cursor = next;
      }
    },
  });

/** The few that earned most. */
export const earnersQuery = (place: Place, level: Level, model: Model) =>
  queryOptions({
    queryKey: ['earners', ...keyOf(place), level, model],
    queryFn: async ({ signal }) =>
      (
        await clientFor(place.profileId).listCampaigns({
          query: { ...reportOf(place), level, model, limit: mostEarners },
          signal,
        })
      ).data,
  });

const mostEarners = 5;

export const unattributedQuery = (place: Place, level: Level, model: Model) =>
  queryOptions({
    queryKey: ['unattributed', ...keyOf(place), level, model],
    queryFn: async ({ signal }) =>
      (await clientFor(place.profileId).readUnattributed({ query: { ...reportOf(place), level, model }, signal })).data,
  });

/** One campaign, ad set or ad, by our id or the platform's. */
export const entityQuery = (place: Place, id: string, level: Level, model: Model) =>
  queryOptions({
    queryKey: ['entity', ...keyOf(place), id, level, model],
    queryFn: async ({ signal }) => {
      const query = { ...reportOf(place), level, model };
      return (await clientFor(place.profileId).readAd({ params: { id }, query, signal })).data;
    },
  });

export interface ModelFigures {
  readonly model: Model;
  readonly figures: Omit<UnattributedRow, 'partly_credited_count'> & Partial<Pick<CampaignRow, 'roas' | 'cac'>>;
}

/** One row under every model: a campaign, ad set or ad, or what none of them earned. */
export const sixModelsQuery = (place: Place, entity: string, level: Level) =>
  queryOptions({
    queryKey: ['six models', ...keyOf(place), entity, level],
    queryFn: ({ signal }) =>
      Promise.all(
        modelNames.map(async (model): Promise<ModelFigures> => {
          const client = clientFor(place.profileId);
          const query = { ...reportOf(place), level, model };
          const { data } =
            entity === 'unattributed'
              ? await client.readUnattributed({ query, signal })
              : await client.readAd({ params: { id: entity }, query, signal });
          return { model, figures: data };
        }),
      ),
  });

export const comparisonQuery = (place: Place, level: Level, model: Model) =>
  queryOptions({
    queryKey: ['comparison', ...keyOf(place), level, model],
    queryFn: ({ signal }) =>
      clientFor(place.profileId).readPlatformComparison({ query: { ...reportOf(place), level, model }, signal }),
  });

export const topPerformersQuery = (profileId: string, window: ScoreWindow) =>
  queryOptions({
    queryKey: ['top performers', profileId, window],
    queryFn: async ({ signal }) => {
      const query = { window, limit: limits.topPerformers };
      return (await clientFor(profileId).listTopPerformers({ query, signal })).data;
    },
  });

/** A goal is a type of conversion; several definitions may be of one. */
export const goalsQuery = (profileId: string) =>
  queryOptions({
    queryKey: ['goals', profileId],
    queryFn: async ({ signal }) => {
      const { data } = await clientFor(profileId).listGoalDefinitions({ signal });
      return {
        types: [...new Set(data.map(({ conversion_type: type }) => type))].toSorted(),
        /** How many days before a conversion a touch may lie, from the shortest to the longest, of goals that touches can earn. */
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

export const customersQuery = (place: Place, goal: string, search: string) =>
  infiniteQueryOptions({
    queryKey: ['customers', ...keyOf(place), goal, search],
    queryFn: ({ pageParam, signal }) => {
      const [cursor_time, cursor_id] = pageParam.split('|');
      return clientFor(place.profileId).listCustomers({
        query: {
          ...datesOf(place),
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

/** Of all time, whether they reached a goal or not. */
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

/** Pages of a journey are counted from its beginning. */
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

/** What came before a conversion, and who it was. Only for whoever sees people. */
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

/** The touches behind a conversion and what each earned, without the person. */
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

/** What the journeys call `meta.person`, by a conversion or by something that somebody is known by. */
export type KnownBy =
  | { readonly conversion: string }
  | { readonly customer_key: string }
  | { readonly email: string }
  | { readonly phone: string };

export const personQuery = (profileId: string, knownBy: KnownBy) =>
  queryOptions({
    queryKey: ['person', profileId, knownBy],
    queryFn: async ({ signal }) => {
      const client = clientFor(profileId);
      const answer =
        'conversion' in knownBy
          ? await client.readConversionJourney({ params: { id: knownBy.conversion }, query: { limit: 1 }, signal })
          : await client.readJourneyByKey({ query: { ...knownBy, limit: 1 }, signal });
      return (answer as WholeJourney).meta.person;
    },
  });

/** More of each than anybody reads here; the API has the rest. */
export const mostHeld = 100;

export const customerDataQuery = (profileId: string, id: string) =>
  queryOptions({
    queryKey: ['held', profileId, id],
    queryFn: async ({ signal }) =>
      (await clientFor(profileId).readCustomerExport({ params: { id }, query: { limit: mostHeld }, signal })).data,
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
