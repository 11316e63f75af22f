import { recordAds } from '@tributary/domain/campaigns';
import { keepStages, readStages } from '@tributary/domain/definitions';
import {
  findStageRecords,
  type OutcomeServices,
  type ReadEvent,
  readOneOfMany,
  recordOutcomes,
  type ToldRefund,
} from '@tributary/domain/outcomes';
import type { Tx } from '@tributary/postgres';
import type { Said, SaidOutcome, SaidPerson, SaidRefund } from '@tributary/providers';
import {
  type Channel,
  type ConversionType,
  channels,
  isOutcomeProvider,
  type OutcomeProvider,
} from '@tributary/vocabulary';
import { v7 as uuid } from 'uuid';
import { remapRecords } from './remap-stages.ts';
import { dropVanished, keepSearches } from './search-store.ts';
import { listLive, listLiveChannels } from './store.ts';
import type { Rejected } from './sync-store.ts';

export interface Saying {
  readonly profileId: string;
  readonly connectionId: string;
  readonly channel: Channel;
  readonly services: OutcomeServices;
  readonly now: Date;
}

/** Keeps a page of what a provider said, each kind in the ledger it belongs to. Resolves to what could not be kept. */
export async function recordSaid(tx: Tx, saying: Saying, said: readonly Said[]): Promise<Rejected[]> {
  const of = <Kind extends Said['kind']>(kind: Kind) =>
    said.filter((one): one is Extract<Said, { kind: Kind }> => one.kind === kind);
  const { profileId, channel, now } = saying;
  const rejected: Rejected[] = [];
  const ads = said.filter((one) => one.kind === 'entity' || one.kind === 'delivery');
  if (ads.length > 0)
    rejected.push(...(await recordAds(tx, profileId, channel, ads, now, await reporterOf(tx, saying))).rejected);
  const isOurs = await tellerOf(tx, saying, said);
  const [outcomes, refunds] = [of('outcome').filter(isOurs), of('refund').filter(isOurs)];
  if (outcomes.length + refunds.length > 0) {
    if (!isOutcomeProvider(channel)) throw new TypeError(`Outcomes are not taken from ${channel}.`);
    rejected.push(...(await keepOutcomes(tx, { ...saying, provider: channel }, outcomes)));
    rejected.push(...(await keepRefunds(tx, { ...saying, provider: channel }, refunds)));
  }
  await keepSearches(tx, saying, of('search_term'));
  await dropVanished(tx, saying, of('search_days'));
  return rejected;
}

const reporterOf = async (tx: Tx, { profileId, channel, connectionId }: Saying) => {
  const others = (await listLive(tx, profileId, channel)).map(({ id }) => id);
  return { connectionId, others: new Set(others.filter((id) => id !== connectionId)) };
};

/** Whether it is told here: money that a connected payment provider took is told by that one, and counts once. */
async function tellerOf(tx: Tx, { profileId }: Saying, said: readonly Said[]) {
  const isDoubtful = said.some((one) => 'takenBy' in one);
  const live: readonly string[] = isDoubtful ? await listLiveChannels(tx, profileId) : [];
  return ({ takenBy = [] }: SaidOutcome | SaidRefund): boolean => !takenBy.some((one) => live.includes(one));
}

interface OutcomeSaying extends Saying {
  readonly provider: OutcomeProvider;
}

/** A thing of a provider is one outcome of each type: sent again it is the same one, with a later word on it. */
const keyOf = (provider: string, externalId: string, outcomeType: string) => `${provider}:${externalId}:${outcomeType}`;

async function keepOutcomes(tx: Tx, saying: OutcomeSaying, said: readonly SaidOutcome[]): Promise<Rejected[]> {
  if (said.length === 0) return [];
  const { profileId, connectionId, provider, services, now } = saying;
  const { typeOf, meaningOf } = await stageReader(tx, saying, said);
  const rejected: Rejected[] = [];
  const reads: ReadEvent[] = [];
  const endings = new Set(
    said.flatMap(({ externalId, outcomeType }) => (outcomeType ? [keyOf(provider, externalId, outcomeType)] : [])),
  );
  for (const one of said) {
    const outcomeType = typeOf(one);
    // A deal in a stage that is not mapped is no outcome.
    if (!outcomeType) continue;
    const idempotencyKey = keyOf(provider, one.externalId, outcomeType);
    // A won deal in a stage that is mapped to won is one outcome, dated by its status: written twice, its date would change at every sync.
    if (!one.outcomeType && endings.has(idempotencyKey)) continue;
    const body = {
      event_name: outcomeType,
      event_type: outcomeType,
      idempotency_key: idempotencyKey,
      occurred_at: one.occurredAt,
      properties: { ...one.properties, value: one.value, currency: one.currency },
      user_traits: traitsOf(saying.channel, one.person),
    };
    const read = readOneOfMany(profileId, body, now, () => idempotencyKey);
    if ('event' in read) reads.push({ ...read, provided: { externalId: one.externalId, outcomeType } });
    else if ('code' in read) rejected.push({ externalId: one.externalId, reason: `${read.field} ${read.message}` });
  }
  const deals = new Map(said.flatMap((one) => (one.stage && !one.outcomeType ? [[one.externalId, one] as const] : [])));
  const remapped = remapRecords(await findStageRecords(tx, profileId, provider, [...deals.keys()]), {
    reported: new Set(reads.map(({ event }) => event.idempotencyKey)),
    meaningOf,
    keyOf: (externalId, outcomeType) => keyOf(provider, externalId, outcomeType),
  });
  for (const { idempotencyKey, externalId, eventType, at, pipelineId, stageId } of remapped) {
    const deal = deals.get(externalId);
    const body = {
      event_name: eventType,
      event_type: eventType,
      idempotency_key: idempotencyKey,
      occurred_at: at.toISOString(),
      properties: { pipeline_id: pipelineId, stage_id: stageId, value: deal?.value, currency: deal?.currency },
      user_traits: deal && traitsOf(saying.channel, deal.person),
    };
    const read = readOneOfMany(profileId, body, now, () => idempotencyKey);
    const outcomeType = idempotencyKey.slice(keyOf(provider, externalId, '').length) as ConversionType;
    if ('event' in read) reads.push({ ...read, provided: { externalId, outcomeType } });
  }
  const evidence = { source: provider, saidAt: now, requestId: `req_${uuid()}` };
  const teller = { source: provider, connectionId };
  await recordOutcomes(tx, reads, { ...services, profileId, now, evidence, teller });
  return rejected;
}

/** What a deal counts as: what it says itself, else what its stage is mapped to. A stage that nobody has seen is kept as unmapped. */
async function stageReader(tx: Tx, { profileId, channel, now }: Saying, said: readonly SaidOutcome[]) {
  const named = said.flatMap(({ stage, outcomeType }) => (stage && !outcomeType ? [stage] : []));
  const idOf = (stage: { pipelineId: string; stageId: string }) => `${stage.pipelineId}/${stage.stageId}`;
  let stages = named.length === 0 ? [] : await readStages(tx, profileId, channel);
  const known = new Set(stages.map(idOf));
  const fresh = new Map(named.filter((stage) => !known.has(idOf(stage))).map((stage) => [idOf(stage), stage]));
  if (fresh.size > 0) {
    const found = [...fresh.values()].map((stage) => ({ ...stage, name: stage.stageId, suggestion: null }));
    stages = await keepStages(tx, profileId, channel, found, now);
  }
  const mapped = new Map(stages.map((stage) => [idOf(stage), stage.eventKey]));
  const meaningOf = (stage: { pipelineId: string; stageId: string }) => mapped.get(idOf(stage));
  const typeOf = ({ outcomeType, stage }: SaidOutcome) => {
    if (outcomeType) return outcomeType;
    const eventKey = stage && meaningOf(stage);
    return eventKey === undefined || eventKey === 'ignored' || eventKey === 'unmapped' ? undefined : eventKey;
  };
  return { typeOf, meaningOf };
}

/** Under which name a provider's own id of a person is known. */
const personIds = {
  crm: 'crm_contact_id',
  payments: 'payments_customer_id',
  store: 'store_customer_id',
  messaging: 'external_id',
  ads: 'external_id',
  search: 'external_id',
} as const satisfies Record<(typeof channels)[Channel]['kind'], string>;

function traitsOf(channel: Channel, { externalId, email, phone, name, rut }: SaidPerson) {
  const [first, ...rest] = (name ?? '').trim().split(/\s+/);
  return {
    [personIds[channels[channel].kind]]: externalId,
    email,
    phone,
    national_id: rut,
    first_name: first || undefined,
    last_name: rest.join(' ') || undefined,
  };
}

/** Money that went back of a payment, found by the provider's own id of it. One that comes before its payment waits for it. */
async function keepRefunds(tx: Tx, saying: OutcomeSaying, said: readonly SaidRefund[]): Promise<Rejected[]> {
  if (said.length === 0) return [];
  const { profileId, provider, services, now } = saying;
  const rejected: Rejected[] = [];
  const valid: { readonly externalId: string; readonly refund: ToldRefund }[] = [];
  for (const one of said) {
    const { externalId } = one;
    // Providers report refunds of zero, for example of free shipping.
    if (/^0+(\.0+)?$/.test(one.amount)) continue;
    const idempotencyKey = keyOf(provider, externalId, one.isDispute ? 'dispute' : 'refund');
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
