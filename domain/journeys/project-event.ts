import type { AnswerOf, Routes } from '@tributary/contract';
import type { Lineage } from '@tributary/domain/campaigns';
import { dayMs, nilUuid } from '@tributary/vocabulary';
import type { Credit } from './credit.ts';
import { known } from './show-event.ts';
import type { LedgerEvent, TouchEvent } from './timeline.ts';

type Rows = Extract<AnswerOf<Routes['readJourneyByKey']>['body'], { meta: { conversion: unknown } }>;
export type ProjectedEvent = Rows['data']['events'][number];

/** The conversion that credit and window are of; undefined where there is none. */
export interface Subject {
  readonly at: number;
  readonly lookbackDays: number;
  /** Undefined while it is not worked out. */
  readonly credit: Credit | undefined;
}

/**
 * What may be seen of a journey without seeing the person. Each field is named here: a column that somebody adds to a store stays
 * there until it is let out by name.
 */
export function projectEvent(
  event: TouchEvent | LedgerEvent,
  subject: Subject | undefined,
  lineages: ReadonlyMap<string, Lineage>,
): ProjectedEvent {
  const in_window =
    subject !== undefined && event.at <= subject.at && event.at >= subject.at - subject.lookbackDays * dayMs;
  const occurred_at = new Date(event.at).toISOString();
  if (event.store === 'ledger') return { occurred_at, ...projectOutcome(event, subject, lineages), in_window };
  const { row } = event;
  const line = lineageOf(row, lineages);
  return {
    occurred_at,
    kind: row.kind as ProjectedEvent['kind'],
    channel: known(row.channel),
    campaign_external_id: known(row.campaign_external_id) ?? line.campaign?.externalId ?? null,
    ad_set_external_id: known(row.ad_set_external_id) ?? line.ad_set?.externalId ?? null,
    ad_external_id: known(row.ad_external_id) ?? line.ad?.externalId ?? null,
    ...namesOf(line),
    click_id_kind: known(row.click_id_kind),
    join_method: known(row.join_method),
    credit: shareOf(row.touch_id, subject),
    in_window,
  };
}

/** An outcome is what it led to; one that names its ad stands for the touch that brought it, too. */
function projectOutcome(
  { row, isSynthetic }: LedgerEvent,
  subject: Subject | undefined,
  lineages: ReadonlyMap<string, Lineage>,
): Omit<ProjectedEvent, 'occurred_at' | 'in_window'> {
  const { origin } = row;
  const line = origin ? lineages.get(origin.ad_id) : undefined;
  const isNamed = origin !== null && origin.ad_id !== nilUuid;
  const { ad_id } = row.rest as { ad_id?: unknown };
  return {
    kind: isSynthetic && row.origin ? 'synthetic' : 'conversion',
    channel: origin?.channel ?? null,
    campaign_external_id: line?.campaign?.externalId ?? null,
    ad_set_external_id: line?.ad_set?.externalId ?? null,
    ad_external_id: line?.ad?.externalId ?? (isNamed && isPlatformId(ad_id) ? ad_id.trim() : null),
    ...namesOf(line),
    click_id_kind: origin?.click_id_kind ?? null,
    join_method: isNamed ? 'event_ad_id' : null,
    credit: origin ? shareOf(row.id, subject) : {},
  };
}

/** What platforms call them; a name that nobody told is ''. */
const namesOf = (line: Lineage | undefined) => ({
  campaign_name: line?.campaign?.name || null,
  ad_set_name: line?.ad_set?.name || null,
  ad_name: line?.ad?.name || null,
});

/** What a caller sent as the id of an ad is let out only if it can be one: it is the one text here that was not made by a platform. */
const isPlatformId = (text: unknown): text is string => typeof text === 'string' && /^\s*[\w-]{1,64}\s*$/.test(text);

const shareOf = (touchId: string, subject: Subject | undefined): ProjectedEvent['credit'] =>
  subject?.credit ? { ...(subject.credit.shares.get(touchId) ?? subject.credit.noShare) } : {};

/** The smallest entity knows the most of those above it; what a larger one says of itself counts before that. */
const lineageOf = (row: TouchEvent['row'], lineages: ReadonlyMap<string, Lineage>): Lineage =>
  Object.assign({}, ...[row.ad_id, row.ad_set_id, row.campaign_id].map((id) => lineages.get(id)));
