import type { AnswerOf, Routes } from '@tributary/contract';
import type { Lineage } from '@tributary/domain/campaigns';
import { entityIdOf, netOf } from '@tributary/rules';
import { type EntityLevel, isOutcomeProvider, nilUuid } from '@tributary/vocabulary';
import type { LedgerEvent, TimelineEvent, VisitEvent, VisitlessEvent } from './timeline.ts';

export type JourneyEvent = AnswerOf<Routes['readCustomerJourney']>['body']['data']['events'][number];

/** What a page needs besides its events. */
export interface Around {
  readonly profileId: string;
  readonly lineages: ReadonlyMap<string, Lineage>;
  /** What type of outcome visits were recorded as. */
  readonly outcomeTypes: ReadonlyMap<string, string>;
}

export function showEvent(event: TimelineEvent, around: Around): JourneyEvent {
  switch (event.store) {
    case 'visits':
      return showVisit(event, around);
    case 'visitless touches':
      return showTouch(event, around);
    case 'ledger':
      return showOutcome(event, around);
  }
}

/** The warehouse writes '' where there was nothing, and these where nothing was understood. */
export const known = (text: string): string | null => (['', 'unknown', 'ZZ'].includes(text) ? null : text);

function showVisit({ row }: VisitEvent, { profileId, lineages, outcomeTypes }: Around): JourneyEvent {
  // An erasure clears what a visit was called.
  const type = outcomeTypes.get(row.visit_id) ?? (row.event_type || 'visit');
  return {
    event_type: type,
    event_name: row.event_name || type,
    event_time: row.occurred_at,
    url: known(row.url),
    path: known(row.path),
    channel: known(row.channel),
    source: known(row.source),
    medium: known(row.medium),
    campaign: campaignOf(entitiesOfVisit(profileId, row), lineages),
    value_amount: null,
    currency: null,
    device: known(row.device),
    browser: known(row.browser),
    os: known(row.os),
    country: known(row.country),
    city: known(row.city),
    is_synthetic: false,
  };
}

function showTouch({ row }: VisitlessEvent, { lineages }: Around): JourneyEvent {
  return {
    event_type: row.kind,
    event_name: row.kind,
    event_time: row.occurred_at,
    url: null,
    path: null,
    channel: known(row.channel),
    source: known(row.source),
    medium: known(row.medium),
    campaign: campaignOf(entitiesOfTouch(row), lineages),
    value_amount: null,
    currency: null,
    device: known(row.device),
    browser: null,
    os: null,
    country: known(row.country),
    city: null,
    is_synthetic: false,
  };
}

function showOutcome({ row, isSynthetic }: LedgerEvent, { lineages }: Around): JourneyEvent {
  const { page_url, properties } = row.rest as { page_url?: unknown; properties?: { provider?: unknown } };
  const url = typeof page_url === 'string' ? page_url : null;
  const said = typeof properties?.provider === 'string' ? properties.provider : null;
  const provider = isOutcomeProvider(row.source) ? row.source : said;
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
    value_amount: row.amount === null ? null : Number(netOf(row.amount, row.refunded)),
    currency: row.currency,
    device: null,
    browser: null,
    os: null,
    country: null,
    city: null,
    is_synthetic: isSynthetic,
  };
}

/** The name of the first campaign that is known, of entities from the largest to the smallest. */
const campaignOf = (ids: readonly string[], lineages: ReadonlyMap<string, Lineage>): string | null =>
  ids.map((id) => lineages.get(id)?.campaign?.name).find((name) => name) ?? null;

/** A visit names entities by what the platform calls them. */
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

/** A touch names them by ids of ours. */
export const entitiesOfTouch = (row: { campaign_id: string; ad_set_id: string; ad_id: string }): string[] =>
  [row.campaign_id, row.ad_set_id, row.ad_id].filter((id) => id !== nilUuid);

export const entitiesOfOutcome = ({ origin }: LedgerEvent['row']): string[] =>
  origin && origin.ad_id !== nilUuid ? [origin.ad_id] : [];
