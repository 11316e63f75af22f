import { type DealEnd, dayMs } from '@tributary/vocabulary';
import { z } from 'zod';
import type { Account, OutcomeRecord, Pipeline, Sync } from '../provider.ts';
import { decimalText, instant } from '../read-answer.ts';
import { getBackoffMs, type HighlevelApi } from './api.ts';
import type { HighlevelCredentials } from './credentials.ts';

/** Deals can only be listed by creation time, never by update time. Each sync reads all of them and reports those that changed. */
export const HighlevelPosition = z.object({
  /** The start time of the current pass. */
  startedAt: z.string(),
  after: z.object({ startAfter: z.string(), startAfterId: z.string() }).nullable(),
  read: z.number(),
  /** Changes before this time have been reported; null: none have. */
  saidUntil: z.string().nullable(),
});
export type HighlevelPosition = z.infer<typeof HighlevelPosition>;

const Contact = z.object({
  id: z.string().optional(),
  name: z.string().nullish(),
  email: z.string().nullish(),
  phone: z.string().nullish(),
});
const Opportunity = z.object({
  id: z.string(),
  name: z.string().nullish(),
  monetaryValue: decimalText.nullish(),
  pipelineId: z.string(),
  pipelineStageId: z.string().nullish(),
  status: z.string(),
  source: z.string().nullish(),
  contactId: z.string().nullish(),
  contact: Contact.nullish(),
  createdAt: z.string(),
  updatedAt: z.string().nullish(),
  lastStatusChangeAt: z.string().nullish(),
  lastStageChangeAt: z.string().nullish(),
});
type Opportunity = z.infer<typeof Opportunity>;

const Page = z.object({
  opportunities: z.array(Opportunity),
  meta: z.object({
    total: z.number().optional(),
    startAfter: z.union([z.string(), z.number()]).nullish(),
    startAfterId: z.string().nullish(),
  }),
});

const Pipelines = z.object({
  pipelines: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      stages: z.array(z.object({ id: z.string(), name: z.string(), position: z.number().optional() })),
    }),
  ),
});

const dealsPerPage = 100;
/** Changes that the list did not show yet during the last pass are reported again. */
const overlapMs = dayMs;

export const createStages =
  (api: HighlevelApi) =>
  async (account: Account<HighlevelCredentials>, call: Parameters<HighlevelApi['tokenOf']>[1]): Promise<Pipeline[]> => {
    const token = await api.tokenOf(account, call);
    const params = { locationId: account.externalId };
    const { body } = await api.get('/opportunities/pipelines', params, Pipelines, token, call);
    return body.pipelines.map(({ stages, ...pipeline }) => ({
      ...pipeline,
      stages: stages.map(({ id, name, position }, place) => ({ id, name, position: position ?? place })),
    }));
  };

export const createSync = (api: HighlevelApi): Sync<HighlevelCredentials, HighlevelPosition> =>
  async function* sync(account, from, call) {
    const token = await api.tokenOf(account, call);
    let position = beginOrResume(from, call.now);
    do {
      const params = { location_id: account.externalId, status: 'all', limit: String(dealsPerPage), ...position.after };
      const { body, headers } = await api.get('/opportunities/search', params, Page, token, call);
      const { opportunities: deals, meta } = body;
      const since = position.saidUntil === null ? 0 : Date.parse(position.saidUntil) - overlapMs;
      const records = deals.filter((deal) => changedAt(deal) >= since).flatMap((deal) => parseDeal(deal, account));
      const read = position.read + deals.length;
      const isLast = deals.length < dealsPerPage || meta.startAfterId == null || meta.startAfter == null;
      const after = isLast ? null : { startAfter: String(meta.startAfter), startAfterId: String(meta.startAfterId) };
      position = isLast
        ? { startedAt: position.startedAt, after: null, read: 0, saidUntil: position.startedAt }
        : { ...position, after, read };
      const progress = isLast ? 1 : Math.min(0.99, read / Math.max(read, meta.total ?? read));
      const waitMs = getBackoffMs(headers);
      yield { records: records, position, progress, ...(waitMs !== undefined && { waitMs }) };
    } while (position.after !== null);
  };

function beginOrResume(from: HighlevelPosition | null, now: Date): HighlevelPosition {
  if (from?.after) return from;
  return { startedAt: now.toISOString(), after: null, read: 0, saidUntil: from?.saidUntil ?? null };
}

const changedAt = (deal: Opportunity): number =>
  Math.max(
    ...[deal.createdAt, deal.updatedAt, deal.lastStageChangeAt, deal.lastStatusChangeAt].map((at) =>
      at ? Date.parse(at) || 0 : 0,
    ),
  );

const ends: Readonly<Record<string, DealEnd>> = { won: 'closed_won', lost: 'deal_lost', abandoned: 'deal_abandoned' };

/** HighLevel keeps only the last change of stage and of status; earlier states are not available. */
function parseDeal(deal: Opportunity, account: Account<HighlevelCredentials>): OutcomeRecord[] {
  const { pipelineId, pipelineStageId: stageId } = deal;
  const { currency } = account.details;
  const common = {
    kind: 'outcome' as const,
    externalId: deal.id,
    person: parseContact(deal),
    properties: {
      pipeline_id: pipelineId,
      ...(stageId && { stage_id: stageId }),
      ...(deal.source && { source: deal.source }),
      ...(currency && deal.monetaryValue && { currency_assumed: 'true' }),
    },
    // Negative values, and values without a currency, are ignored.
    ...(currency &&
      deal.monetaryValue &&
      !deal.monetaryValue.startsWith('-') && { value: deal.monetaryValue, currency }),
  };
  const records: OutcomeRecord[] = [];
  if (stageId) {
    records.push({
      ...common,
      stage: { pipelineId, stageId },
      occurredAt: instant(deal.lastStageChangeAt ?? deal.createdAt),
    });
  }
  const end = ends[deal.status];
  if (end) {
    const occurredAt = instant(deal.lastStatusChangeAt ?? deal.updatedAt ?? deal.createdAt);
    records.push({ ...common, outcomeType: end, occurredAt });
  }
  return records;
}

function parseContact({ contactId, contact }: Opportunity): OutcomeRecord['person'] {
  const externalId = contact?.id ?? contactId;
  return {
    ...(externalId && { externalId }),
    ...(contact?.email && { email: contact.email }),
    ...(contact?.phone && { phone: contact.phone }),
    ...(contact?.name && { name: contact.name }),
  };
}
