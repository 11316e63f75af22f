import type { OutcomeRecorded, Routes } from '@tributary/contract';
import { type LoggedEvent, listEventsAfter } from '@tributary/domain/tenancy/events';
import { findGoverningApp } from '@tributary/domain/tenancy/tenants';
import { answer, type Context, type Handles, refuse } from '@tributary/operations';
import type { Tx } from '@tributary/postgres';
import { envelopeOf } from './delivery/envelope.ts';
import { outcomeIdOf, readPeople } from './delivery/people.ts';

/** Replays the delivered outcome events in log order. */
export const listRecordedOutcomes: Handles<Routes['listRecordedOutcomes']> = async ({ query }, context) => {
  const { ledger, caller } = context;
  const after = query.cursor === undefined ? '0' : readCursor(query.cursor);
  const governing = await ledger.transaction((tx) => findGoverningApp(tx, caller.profileId), { readOnly: true });
  // Without a governing app, for another app, or on a healthcare-family profile no personal data is disclosed, including events recorded
  // before.
  const isAllowed = caller.appId === undefined || caller.appId === governing;
  if (caller.isHealthcare || !governing || !isAllowed)
    return answer(200, { data: [], pagination: { has_next: false, cursor: cursorOf(after) } });
  return ledger.transaction((tx) => readPage(tx, context, { governing, after, limit: query.limit }), {
    readOnly: true,
  });
};

interface PageQuery {
  readonly governing: string;
  readonly after: string;
  readonly limit: number;
}

/** Reads past events that are left out, until the page is full or the log ends. */
async function readPage(
  tx: Tx,
  context: Pick<Context, 'mentions' | 'showKey'> & {
    readonly caller: { profileId: string; scopes: ReadonlySet<string> };
  },
  { governing, after, limit }: PageQuery,
) {
  const { profileId, scopes } = context.caller;
  const seesPeople = scopes.has('customers:read');
  const shown: OutcomeRecorded[] = [];
  let [position, hasNext] = [after, false];
  while (shown.length < limit) {
    const wanted = limit - shown.length;
    const following = [{ type: 'outcome.recorded', after: position }];
    const found: LoggedEvent[] = await listEventsAfter(tx, profileId, following, wanted + 1);
    const page = found.slice(0, wanted);
    const people = await readPeople(tx, profileId, page.map(outcomeIdOf), seesPeople);
    for (const event of page) {
      const outcomeId = outcomeIdOf(event);
      const person = people.byOutcome.get(outcomeId);
      // Outcomes that are deleted or whose customer was erased are not replayed.
      if (!person || people.erased.has(outcomeId)) continue;
      const customerId = people.customers.get(outcomeId);
      if (customerId) {
        if (seesPeople) context.mentions(customerId);
        context.showKey({ of: customerId, profileId, key: person.customerKey, said: undefined });
      }
      shown.push(envelopeOf(event, governing, person) as unknown as OutcomeRecorded);
    }
    position = page.at(-1)?.sequence ?? position;
    hasNext = found.length > wanted;
    if (!hasNext) break;
  }
  return answer(200, { data: shown, pagination: { has_next: hasNext, cursor: cursorOf(position) } });
}

const cursorOf = (sequence: string): string => Buffer.from(`outcomes:${sequence}`).toString('base64url');

function readCursor(text: string): string {
  const [, sequence] = /^outcomes:(0|[1-9]\d{0,17})$/.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  if (sequence === undefined || cursorOf(sequence) !== text)
    return refuse('invalid_parameter', 'The query parameter "cursor" is not one that this route gave out.', {
      fields: { field: 'cursor' },
    });
  return sequence;
}
