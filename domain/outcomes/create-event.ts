import type { AnswerOf, Routes } from '@tributary/contract';
import type { Evidence } from '@tributary/domain/customers';
import { listDefinitionKeys } from '@tributary/domain/definitions';
import { answer, type Handles, type ProfileContext, refuse } from '@tributary/operations';
import { isFinerThan } from '@tributary/rules';
import type { EventWarning } from '@tributary/vocabulary';
import { v7 as uuid } from 'uuid';
import type { Gathering } from './gathering.ts';
import { type EventFault, type ReadEvent, readEvent, readOneOfMany } from './read-event.ts';
import { type RecordContext, type Recorded, recordOutcomes, untilRecorded } from './record-outcomes.ts';
import type { OutcomeServices } from './services.ts';

type Answer = AnswerOf<Routes['createEvent']>;
type Told = ReadEvent & { readonly evidence: Evidence };

/** An event as it was recorded, with how the profile's definitions are called where none says what it means. */
interface Gathered {
  readonly recorded: Recorded;
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
    : recordOne(readEvent(context.caller.profileId, body, context.now, uuid), context);

async function recordOne(read: ReadEvent | EventFault, context: EventContext): Promise<Answer> {
  if ('code' in read) refuse(read.code, sayFault(read), { fields: { field: read.field } });
  if (context.canShareEffect && isSmall(read)) return recordGathered(read, context);
  return record(context, [read], ([one], definitions) =>
    answer(202, { data: { ...receipt(context, read, one as Recorded), ...definitions } }),
  );
}

/** Larger ones are recorded by themselves: nobody waits for what somebody else's takes to write. */
const mostBytes = 16 * 1_024;
const isSmall = ({ rest }: ReadEvent): boolean => JSON.stringify(rest).length <= mostBytes;

/** Shares its transaction with others of the profile. Each keeps its own evidence, and nothing of one is in the answer of another. */
async function recordGathered(read: ReadEvent, context: EventContext): Promise<Answer> {
  const { gathering, caller, now, requestId, mentions } = context;
  const told: Told = { ...read, evidence: { source: 'events', saidAt: now, requestId } };
  const { recorded, ...definitions } = await gathering.take(caller.profileId, told, (events) =>
    recordTogether(events, context),
  );
  if (recorded.customerId) mentions(recorded.customerId);
  return answer(202, { data: { ...receipt(context, read, recorded), ...definitions } });
}

async function recordTogether(events: readonly Told[], context: EventContext): Promise<readonly Gathered[]> {
  const { ledger, caller } = context;
  return untilRecorded(() =>
    ledger.transaction(async (tx) => {
      const recorded = await recordOutcomes(tx, events, contextOf(context));
      if (recorded.every(({ isDefined }) => isDefined)) return recorded.map((one) => ({ recorded: one }));
      const definitions = await listDefinitionKeys(tx, caller.profileId);
      return recorded.map((one) => ({ recorded: one, ...(!one.isDefined && { definitions }) }));
    }),
  );
}

async function recordMany(candidates: readonly unknown[], context: EventContext): Promise<Answer> {
  const reads = candidates.map((candidate) => readOneOfMany(context.caller.profileId, candidate, context.now, uuid));
  const good = reads.filter((read): read is ReadEvent => !('code' in read));
  return record(context, good, (recorded, definitions) => {
    const rest = [...recorded];
    const results = reads.map((read, index) =>
      'code' in read
        ? {
            index,
            status: 'rejected' as const,
            code: read.code,
            field: read.field,
            message: sayFault(read),
          }
        : { index, ...receipt(context, read, rest.shift() as Recorded) },
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

const sayFault = ({ field, message }: EventFault): string =>
  field ? `The field "${field}" ${message}.` : `The event ${message}.`;

async function record(
  context: EventContext,
  events: readonly ReadEvent[],
  show: (recorded: readonly Recorded[], definitions: { readonly definitions?: string[] }) => Answer,
): Promise<Answer> {
  const { effect, caller, mentions } = context;
  return untilRecorded(() =>
    effect(async (tx) => {
      const recorded = await recordOutcomes(tx, events, contextOf(context));
      for (const { customerId } of recorded) if (customerId) mentions(customerId);
      if (recorded.every(({ isDefined }) => isDefined)) return show(recorded, {});
      return show(recorded, { definitions: await listDefinitionKeys(tx, caller.profileId) });
    }),
  );
}

function contextOf(context: EventContext): RecordContext {
  const { caller, now, requestId, tombstones, payments, findAdPlatforms, visitors } = context;
  return {
    profileId: caller.profileId,
    now,
    evidence: { source: 'events', saidAt: now, requestId },
    teller: { source: 'api' },
    tombstones,
    payments,
    findAdPlatforms,
    visitors,
  };
}

function receipt({ showKey, caller: { profileId } }: ProfileContext, read: ReadEvent, recorded: Recorded) {
  const warnings = [...read.warnings, ...lacks(read, recorded)];
  return {
    outcome_event_id: recorded.outcomeId,
    status: recorded.status,
    customer_key: showKey({
      of: recorded.customerId ?? recorded.outcomeId,
      profileId,
      key: recorded.customerKey,
      said: read.said.identifiers.find(({ kind }) => kind === 'external_customer_id')?.value,
    }),
    ...(warnings.length > 0 && { warnings }),
  };
}

/** What was taken, and yet will not do what its sender hopes for. */
function lacks({ event: { money }, said }: ReadEvent, { isDefined, customerId }: Recorded): EventWarning[] {
  const warnings: EventWarning[] = [];
  if (!isDefined) warnings.push('no_definition');
  if (said.identifiers.length === 0 && customerId === null) warnings.push('nobody');
  if (money && isFinerThan(money.amount, money.currency)) warnings.push('amount_rounded');
  return warnings;
}
