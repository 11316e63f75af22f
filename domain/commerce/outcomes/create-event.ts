import { setImmediate } from 'node:timers/promises';
import type { AnswerOf, Routes } from '@tributary/contract';
import type { Evidence } from '@tributary/domain/commerce/customers';
import { listDefinitionKeys } from '@tributary/domain/commerce/definitions';
import { answer, type Handles, type ProfileContext, refuse } from '@tributary/operations';
import { v7 as uuid } from 'uuid';
import { type EventFault, type ReadBody, type ReadEvent, readBody, readOneOfMany } from './read-event.ts';
import { type RecordResult, recordAll } from './record-all.ts';
import { type RecordContext, retryOnConflict } from './record-outcomes.ts';
import type { RequestBatcher } from './request-batcher.ts';
import type { OutcomeServices } from './services.ts';

type Answer = AnswerOf<Routes['createEvent']>;
type EventWithEvidence = ReadEvent & { readonly evidence: Evidence };

/** The result of an event, with the keys of the profile's definitions if none matches it. */
interface BatchedResult {
  readonly result: RecordResult;
  readonly definitions?: string[];
}

export interface EventServices extends OutcomeServices {
  /** Batches concurrent single events of a profile. */
  readonly gathering: RequestBatcher<EventWithEvidence, BatchedResult>;
}

type EventContext = ProfileContext & EventServices;

export const createEvent: Handles<Routes['createEvent'], EventServices> = async ({ body }, context) =>
  'events' in body
    ? recordMany(body.events, context)
    : recordOne(readBody(context.caller.profileId, body, context.now, uuid), context);

async function recordOne(read: ReadBody, context: EventContext): Promise<Answer> {
  if ('code' in read) refuseFault(read);
  if ('event' in read && context.canShareEffect && isSmall(read)) return recordBatched(read, context);
  return record(context, [read], ([one], definitions) => toAnswer(context, one as RecordResult, definitions));
}

function toAnswer(
  context: EventContext,
  result: RecordResult,
  definitions: { readonly definitions?: string[] },
): Answer {
  if ('code' in result) refuseFault(result);
  return answer(202, { data: { ...toReceipt(context, result), ...definitions } });
}

/** Larger events skip batching, so that they do not delay small ones. */
const maxBatchedBytes = 16 * 1_024;
const isSmall = ({ rest }: ReadEvent): boolean => JSON.stringify(rest).length <= maxBatchedBytes;

/** Records the event in a transaction shared with others of the profile. Each has its own evidence, and responses contain no data of others. */
async function recordBatched(read: ReadEvent, context: EventContext): Promise<Answer> {
  const { gathering, caller, mentions } = context;
  const event: EventWithEvidence = { ...read, evidence: toEvidence(context) };
  const { result, ...definitions } = await gathering.take(caller.profileId, event, (events) =>
    recordBatch(events, context),
  );
  if ('recorded' in result && result.recorded.customerId) mentions(result.recorded.customerId);
  return toAnswer(context, result, definitions);
}

async function recordBatch(
  events: readonly EventWithEvidence[],
  context: EventContext,
): Promise<readonly BatchedResult[]> {
  const { ledger, caller } = context;
  const lacksDefinition = (result: RecordResult) => 'recorded' in result && !result.recorded.isDefined;
  return retryOnConflict(() =>
    ledger.transaction(async (tx) => {
      const all = await recordAll(tx, events, toRecordContext(context));
      if (!all.some(lacksDefinition)) return all.map((result) => ({ result }));
      const definitions = await listDefinitionKeys(tx, caller.profileId);
      return all.map((result) => ({ result, ...(lacksDefinition(result) && { definitions }) }));
    }),
  );
}

async function recordMany(candidates: readonly unknown[], context: EventContext): Promise<Answer> {
  const reads = await readMany(candidates, context);
  return record(context, reads, (all, definitions) => {
    const results = all.map((result, index) =>
      'code' in result
        ? {
            index,
            status: 'rejected' as const,
            code: result.code,
            field: result.field,
            message: describeFault(result),
          }
        : { index, ...toReceipt(context, result) },
    );
    const summary: Record<string, number> = {
      total: results.length,
      recorded: 0,
      updated: 0,
      duplicate: 0,
      rejected: 0,
    };
    for (const { status } of results) summary[status] = (summary[status] ?? 0) + 1;
    return answer(202, { data: { results, summary, ...definitions } });
  });
}

/** Validating a thousand large events is slow, so it yields to other requests after this time. */
const yieldAfterMs = 5;

async function readMany(candidates: readonly unknown[], { caller, now }: EventContext): Promise<ReadBody[]> {
  const reads: ReadBody[] = [];
  let startedAt = performance.now();
  for (const candidate of candidates) {
    reads.push(readOneOfMany(caller.profileId, candidate, now, uuid));
    if (performance.now() - startedAt < yieldAfterMs) continue;
    await setImmediate();
    startedAt = performance.now();
  }
  return reads;
}

function refuseFault(fault: EventFault): never {
  refuse(fault.code, describeFault(fault), { fields: { field: fault.field } });
}

const describeFault = ({ field, message }: EventFault): string =>
  field ? `The field "${field}" ${message}.` : `The event ${message}.`;

async function record(
  context: EventContext,
  reads: readonly ReadBody[],
  respond: (results: readonly RecordResult[], definitions: { readonly definitions?: string[] }) => Answer,
): Promise<Answer> {
  const { effect, caller, mentions } = context;
  return retryOnConflict(() =>
    effect(async (tx) => {
      const results = await recordAll(tx, reads, toRecordContext(context));
      const recorded = results.flatMap((one) => ('recorded' in one ? [one.recorded] : []));
      for (const { customerId } of recorded) if (customerId) mentions(customerId);
      if (recorded.every(({ isDefined }) => isDefined)) return respond(results, {});
      return respond(results, { definitions: await listDefinitionKeys(tx, caller.profileId) });
    }),
  );
}

function toRecordContext(context: EventContext): RecordContext {
  const { caller, now, tombstones, payments, findAdPlatforms, visitors } = context;
  return {
    profileId: caller.profileId,
    now,
    evidence: toEvidence(context),
    teller: { source: 'api' },
    tombstones,
    payments,
    findAdPlatforms,
    visitors,
  };
}

const toEvidence = ({ now, requestId }: EventContext): Evidence => ({ source: 'events', saidAt: now, requestId });

function toReceipt({ showKey, caller: { profileId } }: ProfileContext, result: Exclude<RecordResult, EventFault>) {
  const warned = result.warnings.length > 0 && { warnings: [...result.warnings] };
  if ('refund' in result) {
    const { id, status, paymentId } = result.refund;
    return { outcome_event_id: id, status, customer_key: null, payment_id: paymentId, ...warned };
  }
  const { read, recorded } = result;
  return {
    outcome_event_id: recorded.outcomeId,
    status: recorded.status,
    customer_key: showKey({
      of: recorded.customerId ?? recorded.outcomeId,
      profileId,
      key: recorded.customerKey,
      said: read.said.identifiers.find(({ kind }) => kind === 'external_customer_id')?.value,
    }),
    ...warned,
  };
}
