import { type DealEnd, dayMs } from '@tributary/vocabulary';
import { z } from 'zod';
import type { Account, Pipeline, SaidOutcome, Sync } from '../provider.ts';
import { decimalText, instant } from '../read-answer.ts';
import { breathOf, type HighlevelApi } from './api.ts';
import type { HighlevelCredentials } from './credentials.ts';

/** Deals are listed by when they were made, never by when they changed: each sync walks all of them, and says those that changed. */
export const HighlevelPosition = z.object({
  /** When the walk began that is under way. */
  startedAt: z.string(),
  after: z.object({ startAfter: z.string(), startAfterId: z.string() }).nullable(),
  read: z.number(),
  /** Whatever changed before has been said already; null: nothing has. */
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

const dealsAPage = 100;
/** A change that its list did not show yet when the last walk passed is said again. */
const overlapMs = dayMs;

export const createStages =
  (api: HighlevelApi) =>
  async (account: Account<HighlevelCredentials>, call: Parameters<HighlevelApi['tokenOf']>[1]): Promise<Pipeline[]> => {
    const token = await api.tokenOf(account, call);
    const asked = { locationId: account.externalId };
    const { body } = await api.get('/opportunities/pipelines', asked, Pipelines, token, call);
    return body.pipelines.map(({ stages, ...pipeline }) => ({
      ...pipeline,
      stages: stages.map(({ id, name, position }, place) => ({ id, name, position: position ?? place })),
    }));
  };

export const createSync = (api: HighlevelApi): Sync<HighlevelCredentials, HighlevelPosition> =>
  async function* sync(account, from, call) {
    const token = await api.tokenOf(account, call);
    let position = beginOrGoOn(from, call.now);
    do {
      const asked = { location_id: account.externalId, status: 'all', limit: String(dealsAPage), ...position.after };
      const { body, headers } = await api.get('/opportunities/search', asked, Page, token, call);
      const { opportunities: deals, meta } = body;
      const since = position.saidUntil === null ? 0 : Date.parse(position.saidUntil) - overlapMs;
      const said = deals.filter((deal) => changedAt(deal) >= since).flatMap((deal) => sayDeal(deal, account));
      const read = position.read + deals.length;
      const isLast = deals.length < dealsAPage || meta.startAfterId == null || meta.startAfter == null;
      const after = isLast ? null : { startAfter: String(meta.startAfter), startAfterId: String(meta.startAfterId) };
      position = isLast
        ? { startedAt: position.startedAt, after: null, read: 0, saidUntil: position.startedAt }
        : { ...position, after, read };
      const progress = isLast ? 1 : Math.min(0.99, read / Math.max(read, meta.total ?? read));
      const waitMs = breathOf(headers);
      yield { said, position, progress, ...(waitMs !== undefined && { waitMs }) };
    } while (position.after !== null);
  };

function beginOrGoOn(from: HighlevelPosition | null, now: Date): HighlevelPosition {
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

/** Only the last change of stage and of status is kept by HighLevel: what a deal was in between is not told. */
function sayDeal(deal: Opportunity, account: Account<HighlevelCredentials>): SaidOutcome[] {
  const { pipelineId, pipelineStageId: stageId } = deal;
  const { currency } = account.details;
  const common = {
    kind: 'outcome' as const,
    externalId: deal.id,
    person: sayContact(deal),
    properties: {
      pipeline_id: pipelineId,
      ...(stageId && { stage_id: stageId }),
      ...(deal.source && { source: deal.source }),
      ...(currency && deal.monetaryValue && { currency_assumed: 'true' }),
    },
    // Nobody is paid a negative amount, and a value without a currency is none.
    ...(currency &&
      deal.monetaryValue &&
      !deal.monetaryValue.startsWith('-') && { value: deal.monetaryValue, currency }),
  };
  const said: SaidOutcome[] = [];
  if (stageId) {
    said.push({
      ...common,
      stage: { pipelineId, stageId },
      occurredAt: instant(deal.lastStageChangeAt ?? deal.createdAt),
    });
  }
  const end = ends[deal.status];
  if (end) {
    const occurredAt = instant(deal.lastStatusChangeAt ?? deal.updatedAt ?? deal.createdAt);
    said.push({ ...common, outcomeType: end, occurredAt });
  }
  return said;
}

function sayContact({ contactId, contact }: Opportunity): SaidOutcome['person'] {
  const externalId = contact?.id ?? contactId;
  return {
    ...(externalId && { externalId }),
    ...(contact?.email && { email: contact.email }),
    ...(contact?.phone && { phone: contact.phone }),
    ...(contact?.name && { name: contact.name }),
  };
}
