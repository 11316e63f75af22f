import type { AnswerOf, Routes } from '@tributary/contract';
import type { Lineage } from '@tributary/domain/advertising/campaigns';
import { entityIdOf, netAmount } from '@tributary/rules';
import { type EntityLevel, isOutcomeProvider, nilUuid } from '@tributary/vocabulary';
import type { LedgerEvent, TimelineEvent, VisitEvent, VisitlessEvent } from './timeline.ts';

export type JourneyEvent = AnswerOf<Routes['readCustomerJourney']>['body']['data']['events'][number];

/** Context of a page, besides its events. */
export interface EventContext {
  readonly profileId: string;
  readonly lineages: ReadonlyMap<string, Lineage>;
  /** The outcome type that a visit was recorded as, by visit id. */
  readonly outcomeTypes: ReadonlyMap<string, string>;
}

export function toEventResponse(event: TimelineEvent, context: EventContext): JourneyEvent {
  switch (event.store) {
    case 'visits':
      return visitResponse(event, context);
    case 'visitless touches':
      return touchResponse(event, context);
    case 'ledger':
      return outcomeResponse(event, context);
  }
}

/** ClickHouse stores '' for a missing value, and 'unknown' or 'ZZ' for an unrecognised one; all become null. */
export const orNull = (text: string): string | null => (['', 'unknown', 'ZZ'].includes(text) ? null : text);

function visitResponse({ row }: VisitEvent, { profileId, lineages, outcomeTypes }: EventContext): JourneyEvent {
  // An erasure clears the event name of a visit.
  const type = outcomeTypes.get(row.visit_id) ?? (row.event_type || 'visit');
  return {
    event_type: type,
    event_name: row.event_name || type,
    event_time: row.occurred_at,
    url: orNull(row.url),
    path: orNull(row.path),
    channel: orNull(row.channel),
    source: orNull(row.source),
    medium: orNull(row.medium),
    campaign: campaignOf(entitiesOfVisit(profileId, row), lineages),
    value_amount: null,
    currency: null,
    device: orNull(row.device),
    browser: orNull(row.browser),
    os: orNull(row.os),
    country: orNull(row.country),
    city: orNull(row.city),
    is_synthetic: false,
  };
}

function touchResponse({ row }: VisitlessEvent, { lineages }: EventContext): JourneyEvent {
  return {
    event_type: row.kind,
    event_name: row.kind,
    event_time: row.occurred_at,
    url: null,
    path: null,
    channel: orNull(row.channel),
    source: orNull(row.source),
    medium: orNull(row.medium),
    campaign: campaignOf(entitiesOfTouch(row), lineages),
    value_amount: null,
    currency: null,
    device: orNull(row.device),
    browser: null,
    os: null,
    country: orNull(row.country),
    city: null,
    is_synthetic: false,
  };
}

function outcomeResponse({ row, isSynthetic }: LedgerEvent, { lineages }: EventContext): JourneyEvent {
  const { page_url, properties } = row.rest as { page_url?: unknown; properties?: { provider?: unknown } };
  const url = typeof page_url === 'string' ? page_url : null;
  const reportedProvider = typeof properties?.provider === 'string' ? properties.provider : null;
  const provider = isOutcomeProvider(row.source) ? row.source : reportedProvider;
  return {
    event_type: row.event_type,
    event_name: row.event_name,
    event_time: row.occurred_at.toISOString(),
    url,
    path: url === null ? null : (URL.parse(url)?.pathname ?? null),
    channel: row.origin?.channel ?? null,
    source: provider ?? row.origin?.source ?? null,
    medium: row.origin?.medium ?? null,
    campaign: campaignOf(entitiesOfOutcome(row), lineages),
    value_amount: row.amount === null ? null : Number(netAmount(row.amount, row.refunded)),
    currency: row.currency,
    device: null,
    browser: null,
    os: null,
    country: null,
    city: null,
    is_synthetic: isSynthetic,
  };
}

/** The name of the first known campaign, given entities from the highest to the lowest level. */
const campaignOf = (ids: readonly string[], lineages: ReadonlyMap<string, Lineage>): string | null =>
  ids.map((id) => lineages.get(id)?.campaign?.name).find((name) => name) ?? null;

/** A visit names entities by the platform's ids. */
export function entitiesOfVisit(profileId: string, row: VisitEvent['row']): string[] {
  const named: [EntityLevel, string][] = [
    ['campaign', row.campaign_external_id],
    ['ad_set', row.ad_set_external_id],
    ['ad', row.ad_external_id],
  ];
  return named.flatMap(([level, externalId]) =>
    row.platform && externalId ? [entityIdOf(profileId, row.platform, level, externalId)] : [],
  );
}

/** A touch names entities by our ids. */
export const entitiesOfTouch = (row: { campaign_id: string; ad_set_id: string; ad_id: string }): string[] =>
  [row.campaign_id, row.ad_set_id, row.ad_id].filter((id) => id !== nilUuid);

export const entitiesOfOutcome = ({ origin }: LedgerEvent['row']): string[] =>
  origin && origin.ad_id !== nilUuid ? [origin.ad_id] : [];
