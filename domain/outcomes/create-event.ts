import type { AnswerOf, Routes } from '@tributary/contract';
import { listDefinitionKeys } from '@tributary/domain/definitions';
import { answer, type Handles, type ProfileContext, refuse } from '@tributary/operations';
import { v7 as uuid } from 'uuid';
import { type EventFault, type ReadBody, readBody, readOneOfMany } from './read-event.ts';
import { recordAll, type Taken } from './record-all.ts';
import { untilRecorded } from './record-outcomes.ts';
import type { OutcomeServices } from './services.ts';

type Answer = AnswerOf<Routes['createEvent']>;

export const createEvent: Handles<Routes['createEvent'], OutcomeServices> = async ({ body }, context) =>
  'events' in body
    ? recordMany(body.events, context)
    : recordOne(readBody(context.caller.profileId, body, context.now, uuid), context);

async function recordOne(read: ReadBody, context: ProfileContext & OutcomeServices): Promise<Answer> {
  if ('code' in read) refuseFault(read);
  return record(context, [read], ([one], definitions) => {
    const taken = one as Taken;
    if ('code' in taken) refuseFault(taken);
    return answer(202, { data: { ...receipt(context, taken), ...definitions } });
  });
}

async function recordMany(candidates: readonly unknown[], context: ProfileContext & OutcomeServices): Promise<Answer> {
  const reads = candidates.map((candidate) => readOneOfMany(context.caller.profileId, candidate, context.now, uuid));
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

function refuseFault(fault: EventFault): never {
  refuse(fault.code, sayFault(fault), { fields: { field: fault.field } });
}

const sayFault = ({ field, message }: EventFault): string =>
  field ? `The field "${field}" ${message}.` : `The event ${message}.`;

async function record(
  {
    effect,
    caller,
    now,
    requestId,
    mentions,
    tombstones,
    payments,
    findAdPlatforms,
    visitors,
  }: ProfileContext & OutcomeServices,
  reads: readonly ReadBody[],
  show: (taken: readonly Taken[], definitions: { readonly definitions?: string[] }) => Answer,
): Promise<Answer> {
  return untilRecorded(() =>
    effect(async (tx) => {
      const taken = await recordAll(tx, reads, {
        profileId: caller.profileId,
        now,
        evidence: { source: 'events', saidAt: now, requestId },
        teller: { source: 'api' },
        tombstones,
        payments,
        findAdPlatforms,
        visitors,
      });
      const recorded = taken.flatMap((one) => ('recorded' in one ? [one.recorded] : []));
      for (const { customerId } of recorded) if (customerId) mentions(customerId);
      if (recorded.every(({ isDefined }) => isDefined)) return show(taken, {});
      return show(taken, { definitions: await listDefinitionKeys(tx, caller.profileId) });
    }),
  );
}

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
