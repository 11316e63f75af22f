import type { AnswerOf, Routes } from '@tributary/contract';
import type { Lineage } from '@tributary/domain/advertising/campaigns';
import { dayMs, nilUuid } from '@tributary/vocabulary';
import type { Credit } from './credit.ts';
import { orNull } from './event-response.ts';
import type { LedgerEvent, TouchEvent } from './timeline.ts';

type Rows = Extract<AnswerOf<Routes['readJourneyByKey']>['body'], { meta: { conversion: unknown } }>;
export type ProjectedEvent = Rows['data']['events'][number];

/** The conversion that credit and window refer to. */
export interface Subject {
  readonly at: number;
  readonly lookbackDays: number;
  /** Undefined until attribution has computed it. */
  readonly credit: Credit | undefined;
}

/**
 * The fields of a journey event that may be shown without personal data. Every field is listed here, so that a new column of a store is not
 * exposed by accident.
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
    channel: orNull(row.channel),
    campaign_external_id: orNull(row.campaign_external_id) ?? line.campaign?.externalId ?? null,
    ad_set_external_id: orNull(row.ad_set_external_id) ?? line.ad_set?.externalId ?? null,
    ad_external_id: orNull(row.ad_external_id) ?? line.ad?.externalId ?? null,
    ...namesOf(line),
    click_id_kind: orNull(row.click_id_kind),
    join_method: orNull(row.join_method),
    credit: shareOf(row.touch_id, subject),
    in_window,
  };
}

/** An outcome is shown as a conversion; one that names its ad also represents the touch from that ad. */
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

/** Names as the platforms report them; an unreported name is ''. */
const namesOf = (line: Lineage | undefined) => ({
  campaign_name: line?.campaign?.name || null,
  ad_set_name: line?.ad_set?.name || null,
  ad_name: line?.ad?.name || null,
});

/** Returns a caller's ad id only if it can be a platform's id: it is the only text here that does not come from a platform. */
const isPlatformId = (text: unknown): text is string => typeof text === 'string' && /^\s*[\w-]{1,64}\s*$/.test(text);

const shareOf = (touchId: string, subject: Subject | undefined): ProjectedEvent['credit'] =>
  subject?.credit ? { ...(subject.credit.shares.get(touchId) ?? subject.credit.noShare) } : {};

/** The lowest entity knows all its parents; what a higher entity reports about itself takes precedence. */
const lineageOf = (row: TouchEvent['row'], lineages: ReadonlyMap<string, Lineage>): Lineage =>
  Object.assign({}, ...[row.ad_id, row.ad_set_id, row.campaign_id].map((id) => lineages.get(id)));
