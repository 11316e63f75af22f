import type { AnswerOf, Routes } from '@tributary/contract';
import { answer, type Handles, type ProfileContext, refuse } from '@tributary/operations';
import { v7 as uuid } from 'uuid';
import { type EventFault, type ReadEvent, readEvent, readOneOfMany } from './read-event.ts';
import { type Recorded, recordOutcomes, untilRecorded } from './record-outcomes.ts';
import type { OutcomeServices } from './services.ts';

type Answer = AnswerOf<Routes['createEvent']>;

export const createEvent: Handles<Routes['createEvent'], OutcomeServices> = async ({ body }, context) =>
  'events' in body
    ? recordMany(body.events, context)
    : recordOne(readEvent(context.caller.profileId, body, context.now, uuid), context);

async function recordOne(read: ReadEvent | EventFault, context: ProfileContext & OutcomeServices): Promise<Answer> {
  if ('code' in read)
    refuse(read.code, `The field "${read.field}" ${read.message}.`, { fields: { field: read.field } });
  return record(context, [read], ([one]) =>
    answer(202, { data: { ...receipt(one as Recorded), ...warningsOf(read) } }),
  );
}

async function recordMany(candidates: readonly unknown[], context: ProfileContext & OutcomeServices): Promise<Answer> {
  const reads = candidates.map((candidate) => readOneOfMany(context.caller.profileId, candidate, context.now, uuid));
  const good = reads.filter((read): read is ReadEvent => !('code' in read));
  return record(context, good, (recorded) => {
    const rest = [...recorded];
    const results = reads.map((read, index) =>
      'code' in read
        ? {
            index,
            status: 'rejected' as const,
            code: read.code,
            field: read.field,
            message: `The field "${read.field}" ${read.message}.`,
          }
        : { index, ...receipt(rest.shift() as Recorded), ...warningsOf(read) },
    );
    const summary: Record<string, number> = {
      total: results.length,
      recorded: 0,
      updated: 0,
      duplicate: 0,
      rejected: 0,
    };
    for (const { status } of results) summary[status] = (summary[status] ?? 0) + 1;
    return answer(202, { data: { results, summary } });
  });
}

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
  events: readonly ReadEvent[],
  show: (recorded: readonly Recorded[]) => Answer,
): Promise<Answer> {
  return untilRecorded(() =>
    effect(async (tx) => {
      const recorded = await recordOutcomes(tx, events, {
        profileId: caller.profileId,
        now,
        evidence: { source: 'events', saidAt: now, requestId },
        teller: { source: 'api' },
        tombstones,
        payments,
        findAdPlatforms,
        visitors,
      });
      for (const { customerId } of recorded) if (customerId) mentions(customerId);
      return show(recorded);
    }),
  );
}

const receipt = ({ outcomeId, status, customerKey }: Recorded) => ({
  outcome_event_id: outcomeId,
  status,
  customer_key: customerKey,
});
const warningsOf = ({ warnings }: ReadEvent) => (warnings.length > 0 ? { warnings: [...warnings] } : {});
