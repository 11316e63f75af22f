import { recordAds } from '@tributary/domain/advertising/campaigns';
import { readStages, upsertStages } from '@tributary/domain/commerce/definitions';
import {
  findStageRecords,
  type OutcomeServices,
  type ReadEvent,
  type RefundReport,
  readOneOfMany,
  recordOutcomes,
} from '@tributary/domain/commerce/outcomes';
import type { Tx } from '@tributary/postgres';
import type { CustomerIdentity, OutcomeRecord, ProviderRecord, RefundRecord } from '@tributary/providers';
import {
  type Channel,
  type ConversionType,
  channels,
  isOutcomeProvider,
  type OutcomeProvider,
} from '@tributary/vocabulary';
import { v7 as uuid } from 'uuid';
import { remapRecords } from './remap-stages.ts';
import { deleteVanished, saveSearches } from './search-store.ts';
import { listActive, listLiveChannels } from './store.ts';
import type { Rejected } from './sync-store.ts';

export interface RecordSource {
  readonly profileId: string;
  readonly connectionId: string;
  readonly channel: Channel;
  readonly services: OutcomeServices;
  readonly now: Date;
}

/**
 * Stores a page of provider records, each kind in the module that owns it. Resolves to the records that could not be
 * stored.
 */
export async function applyProviderRecords(
  tx: Tx,
  source: RecordSource,
  said: readonly ProviderRecord[],
): Promise<Rejected[]> {
  const of = <Kind extends ProviderRecord['kind']>(kind: Kind) =>
    said.filter((one): one is Extract<ProviderRecord, { kind: Kind }> => one.kind === kind);
  const { profileId, channel, now } = source;
  const rejected: Rejected[] = [];
  const ads = said.filter((one) => one.kind === 'entity' || one.kind === 'delivery');
  if (ads.length > 0)
    rejected.push(...(await recordAds(tx, profileId, channel, ads, now, await findReporter(tx, source))).rejected);
  const isReportedHere = await sourceFilter(tx, source, said);
  const [outcomes, refunds] = [of('outcome').filter(isReportedHere), of('refund').filter(isReportedHere)];
  if (outcomes.length + refunds.length > 0) {
    if (!isOutcomeProvider(channel)) throw new TypeError(`Outcomes are not taken from ${channel}.`);
    rejected.push(...(await recordOutcomeRecords(tx, { ...source, provider: channel }, outcomes)));
    rejected.push(...(await recordRefundRecords(tx, { ...source, provider: channel }, refunds)));
  }
  await saveSearches(tx, source, of('search_term'));
  await deleteVanished(tx, source, of('search_days'));
  return rejected;
}

const findReporter = async (tx: Tx, { profileId, channel, connectionId }: RecordSource) => {
  const others = (await listActive(tx, profileId, channel)).map(({ id }) => id);
  return { connectionId, others: new Set(others.filter((id) => id !== connectionId)) };
};

/**
 * Whether to record an outcome of this source. Money that a connected payment provider processed is reported by that
 * provider and must not count twice.
 */
async function sourceFilter(tx: Tx, { profileId }: RecordSource, said: readonly ProviderRecord[]) {
  const hasProcessor = said.some((one) => 'processedBy' in one);
  const activeChannels: readonly string[] = hasProcessor ? await listLiveChannels(tx, profileId) : [];
  return ({ processedBy = [] }: OutcomeRecord | RefundRecord): boolean =>
    !processedBy.some((one) => activeChannels.includes(one));
}

interface OutcomeSource extends RecordSource {
  readonly provider: OutcomeProvider;
}

/** Each provider object is one outcome per type: a repeated record updates it. */
const toKey = (provider: string, externalId: string, outcomeType: string) => `${provider}:${externalId}:${outcomeType}`;

async function recordOutcomeRecords(
  tx: Tx,
  source: OutcomeSource,
  said: readonly OutcomeRecord[],
): Promise<Rejected[]> {
  if (said.length === 0) return [];
  const { profileId, connectionId, provider, services, now } = source;
  const { getType, getMeaning } = await stageReader(tx, source, said);
  const rejected: Rejected[] = [];
  const events: ReadEvent[] = [];
  const endKeys = new Set(
    said.flatMap(({ externalId, outcomeType }) => (outcomeType ? [toKey(provider, externalId, outcomeType)] : [])),
  );
  for (const one of said) {
    const outcomeType = getType(one);
    // A deal in an unmapped stage is not an outcome.
    if (!outcomeType) continue;
    const idempotencyKey = toKey(provider, one.externalId, outcomeType);
    // A won deal in a stage mapped to won is one outcome, dated by its status. Recording it twice would change its date
    // at every sync.
    if (!one.outcomeType && endKeys.has(idempotencyKey)) continue;
    const body = {
      event_name: outcomeType,
      event_type: outcomeType,
      idempotency_key: idempotencyKey,
      occurred_at: one.occurredAt,
      properties: { ...one.properties, value: one.value, currency: one.currency },
      user_traits: toTraits(source.channel, one.person),
    };
    const read = readOneOfMany(profileId, body, now, () => idempotencyKey);
    if ('event' in read) events.push({ ...read, provided: { externalId: one.externalId, outcomeType } });
    else if ('code' in read) rejected.push({ externalId: one.externalId, reason: `${read.field} ${read.message}` });
  }
  const deals = new Map(said.flatMap((one) => (one.stage && !one.outcomeType ? [[one.externalId, one] as const] : [])));
  const remapped = remapRecords(await findStageRecords(tx, profileId, provider, [...deals.keys()]), {
    reported: new Set(events.map(({ event }) => event.idempotencyKey)),
    getMeaning,
    toKey: (externalId, outcomeType) => toKey(provider, externalId, outcomeType),
  });
  for (const { idempotencyKey, externalId, eventType, at, pipelineId, stageId } of remapped) {
    const deal = deals.get(externalId);
    const body = {
      event_name: eventType,
      event_type: eventType,
      idempotency_key: idempotencyKey,
      occurred_at: at.toISOString(),
      properties: { pipeline_id: pipelineId, stage_id: stageId, value: deal?.value, currency: deal?.currency },
      user_traits: deal && toTraits(source.channel, deal.person),
    };
    const read = readOneOfMany(profileId, body, now, () => idempotencyKey);
    const outcomeType = idempotencyKey.slice(toKey(provider, externalId, '').length) as ConversionType;
    if ('event' in read) events.push({ ...read, provided: { externalId, outcomeType } });
  }
  const evidence = { source: provider, saidAt: now, requestId: `req_${uuid()}` };
  const teller = { source: provider, connectionId };
  await recordOutcomes(tx, events, { ...services, profileId, now, evidence, teller });
  return rejected;
}

/**
 * Determines what a deal counts as: its own type, else the mapping of its stage. Unknown stages are stored as unmapped.
 */
async function stageReader(tx: Tx, { profileId, channel, now }: RecordSource, said: readonly OutcomeRecord[]) {
  const stageRefs = said.flatMap(({ stage, outcomeType }) => (stage && !outcomeType ? [stage] : []));
  const stageKey = (stage: { pipelineId: string; stageId: string }) => `${stage.pipelineId}/${stage.stageId}`;
  let stages = stageRefs.length === 0 ? [] : await readStages(tx, profileId, channel);
  const existing = new Set(stages.map(stageKey));
  const unknown = new Map(
    stageRefs.filter((stage) => !existing.has(stageKey(stage))).map((stage) => [stageKey(stage), stage]),
  );
  if (unknown.size > 0) {
    const found = [...unknown.values()].map((stage) => ({ ...stage, name: stage.stageId, suggestion: null }));
    stages = await upsertStages(tx, profileId, channel, found, now);
  }
  const mapped = new Map(stages.map((stage) => [stageKey(stage), stage.eventKey]));
  const getMeaning = (stage: { pipelineId: string; stageId: string }) => mapped.get(stageKey(stage));
  const getType = ({ outcomeType, stage }: OutcomeRecord) => {
    if (outcomeType) return outcomeType;
    const eventKey = stage && getMeaning(stage);
    return eventKey === undefined || eventKey === 'ignored' || eventKey === 'unmapped' ? undefined : eventKey;
  };
  return { getType, getMeaning };
}

/** The identifier kind of a provider's own customer id. */
const customerIdKinds = {
  crm: 'crm_contact_id',
  payments: 'payments_customer_id',
  store: 'store_customer_id',
  messaging: 'external_id',
  ads: 'external_id',
  search: 'external_id',
} as const satisfies Record<(typeof channels)[Channel]['kind'], string>;

function toTraits(channel: Channel, { externalId, email, phone, name, rut }: CustomerIdentity) {
  const [first, ...rest] = (name ?? '').trim().split(/\s+/);
  return {
    [customerIdKinds[channels[channel].kind]]: externalId,
    email,
    phone,
    national_id: rut,
    first_name: first || undefined,
    last_name: rest.join(' ') || undefined,
  };
}

/** Records refunds, matched to payments by the provider's id. A refund that arrives before its payment waits for it. */
async function recordRefundRecords(tx: Tx, source: OutcomeSource, said: readonly RefundRecord[]): Promise<Rejected[]> {
  if (said.length === 0) return [];
  const { profileId, provider, services, now } = source;
  const rejected: Rejected[] = [];
  const valid: { readonly externalId: string; readonly refund: RefundReport }[] = [];
  for (const one of said) {
    const { externalId } = one;
    // Providers report refunds of zero, for example of free shipping.
    if (/^0+(\.0+)?$/.test(one.amount)) continue;
    const idempotencyKey = toKey(provider, externalId, one.isDispute ? 'dispute' : 'refund');
    const body = {
      event_name: 'refund',
      idempotency_key: idempotencyKey,
      occurred_at: one.occurredAt,
      refund_of: one.ofExternalId,
      refund_kind: one.isDispute ? 'dispute' : 'refund',
      refund_status: one.isUndone ? 'withdrawn' : 'completed',
      properties: { value: one.amount, currency: one.currency },
    };
    const read = readOneOfMany(profileId, body, now, () => idempotencyKey);
    if ('refund' in read) valid.push({ externalId, refund: read.refund });
    else if ('code' in read) rejected.push({ externalId, reason: `${read.field} ${read.message}` });
  }
  const refunds = valid.map(({ refund }) => refund);
  const receipts = await services.payments.refund(tx, profileId, refunds, { source: provider, now });
  for (const [index, receipt] of receipts.entries())
    if ('refused' in receipt) rejected.push({ externalId: valid[index]?.externalId ?? '', reason: receipt.refused });
  return rejected;
}
