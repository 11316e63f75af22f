import { setImmediate } from 'node:timers/promises';
import type { AnswerOf, Routes } from '@tributary/contract';
import type { Evidence } from '@tributary/domain/customers';
import { listDefinitionKeys } from '@tributary/domain/definitions';
import { answer, type Handles, type ProfileContext, refuse } from '@tributary/operations';
import { v7 as uuid } from 'uuid';
import type { Gathering } from './gathering.ts';
import { type EventFault, type ReadBody, type ReadEvent, readBody, readOneOfMany } from './read-event.ts';
import { recordAll, type Taken } from './record-all.ts';
import { type RecordContext, untilRecorded } from './record-outcomes.ts';
import type { OutcomeServices } from './services.ts';

type Answer = AnswerOf<Routes['createEvent']>;
type Told = ReadEvent & { readonly evidence: Evidence };

/** What became of an event, with how the profile's definitions are called where none says what it means. */
interface Gathered {
  readonly taken: Taken;
  readonly definitions?: string[];
}

export interface EventServices extends OutcomeServices {
  /** Where single events of a profile meet. */
  readonly gathering: Gathering<Told, Gathered>;
}

type EventContext = ProfileContext & EventServices;

export const createEvent: Handles<Routes['createEvent'], EventServices> = async ({ body }, context) =>
  'events' in body
    ? recordMany(body.events, context)
    : recordOne(readBody(context.caller.profileId, body, context.now, uuid), context);

async function recordOne(read: ReadBody, context: EventContext): Promise<Answer> {
  if ('code' in read) refuseFault(read);
  if ('event' in read && context.canShareEffect && isSmall(read)) return recordGathered(read, context);
  return record(context, [read], ([one], definitions) => showOne(context, one as Taken, definitions));
}

function showOne(context: EventContext, taken: Taken, definitions: { readonly definitions?: string[] }): Answer {
  if ('code' in taken) refuseFault(taken);
  return answer(202, { data: { ...receipt(context, taken), ...definitions } });
}

/** Larger ones are recorded by themselves: nobody waits for what somebody else's takes to write. */
const mostBytes = 16 * 1_024;
const isSmall = ({ rest }: ReadEvent): boolean => JSON.stringify(rest).length <= mostBytes;

/** Shares its transaction with others of the profile. Each keeps its own evidence, and nothing of one is in the answer of another. */
async function recordGathered(read: ReadEvent, context: EventContext): Promise<Answer> {
  const { gathering, caller, mentions } = context;
  const told: Told = { ...read, evidence: evidenceOf(context) };
  const { taken, ...definitions } = await gathering.take(caller.profileId, told, (events) =>
    recordTogether(events, context),
  );
  if ('recorded' in taken && taken.recorded.customerId) mentions(taken.recorded.customerId);
  return showOne(context, taken, definitions);
}

async function recordTogether(events: readonly Told[], context: EventContext): Promise<readonly Gathered[]> {
  const { ledger, caller } = context;
  const lacksDefinition = (taken: Taken) => 'recorded' in taken && !taken.recorded.isDefined;
  return untilRecorded(() =>
    ledger.transaction(async (tx) => {
      const all = await recordAll(tx, events, contextOf(context));
      if (!all.some(lacksDefinition)) return all.map((taken) => ({ taken }));
      const definitions = await listDefinitionKeys(tx, caller.profileId);
      return all.map((taken) => ({ taken, ...(lacksDefinition(taken) && { definitions }) }));
    }),
  );
}

async function recordMany(candidates: readonly unknown[], context: EventContext): Promise<Answer> {
  const reads = await readMany(candidates, context);
  return record(context, reads, (all, definitions) => {
    const results = all.map((taken, index) =>
      'code' in taken
        ? {
            index,
            status: 'rejected' as const,
            code: taken.code,
            field: taken.field,
            message: sayFault(taken),
          }
        : { index, ...receipt(context, taken) },
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
  refuse(fault.code, sayFault(fault), { fields: { field: fault.field } });
}

const sayFault = ({ field, message }: EventFault): string =>
  field ? `The field "${field}" ${message}.` : `The event ${message}.`;

async function record(
  context: EventContext,
  reads: readonly ReadBody[],
  show: (taken: readonly Taken[], definitions: { readonly definitions?: string[] }) => Answer,
): Promise<Answer> {
  const { effect, caller, mentions } = context;
  return untilRecorded(() =>
    effect(async (tx) => {
      const taken = await recordAll(tx, reads, contextOf(context));
      const recorded = taken.flatMap((one) => ('recorded' in one ? [one.recorded] : []));
      for (const { customerId } of recorded) if (customerId) mentions(customerId);
      if (recorded.every(({ isDefined }) => isDefined)) return show(taken, {});
      return show(taken, { definitions: await listDefinitionKeys(tx, caller.profileId) });
    }),
  );
}

function contextOf(context: EventContext): RecordContext {
  const { caller, now, tombstones, payments, findAdPlatforms, visitors } = context;
  return {
    profileId: caller.profileId,
    now,
    evidence: evidenceOf(context),
    teller: { source: 'api' },
    tombstones,
    payments,
    findAdPlatforms,
    visitors,
  };
}

const evidenceOf = ({ now, requestId }: EventContext): Evidence => ({ source: 'events', saidAt: now, requestId });

function receipt({ showKey, caller: { profileId } }: ProfileContext, taken: Exclude<Taken, EventFault>) {
  const warned = taken.warnings.length > 0 && { warnings: [...taken.warnings] };
  if ('refund' in taken) {
    const { id, status, paymentId } = taken.refund;
    return { outcome_event_id: id, status, customer_key: null, payment_id: paymentId, ...warned };
  }
  const { read, recorded } = taken;
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
