import type { Routes } from '@tributary/contract';
import { findDeliveryWait } from '@tributary/domain/advertising/campaigns';
import { findDays } from '@tributary/domain/tenancy/tenants';
import { actorOf, answer, type Handles, refuse } from '@tributary/operations';
import { lastDayOf } from './closed-month.ts';
import { type Closing, findClosing, insertClosing } from './closings-store.ts';
import { settledMoment } from './moment.ts';

/** Stores the settled moment of the request. Closing a month that is already closed returns the stored closing. */
export const createClosing: Handles<Routes['createClosing']> = ({ body: { month } }, { caller, effect, now }) =>
  effect(async (tx) => {
    const { profileId } = caller;
    const { until } = await findDays(tx, profileId, `${month}-01`, lastDayOf(month));
    const markAt = settledMoment(now, await findDeliveryWait(tx, profileId), now);
    const existing = await findClosing(tx, profileId, month);
    if (existing) return answer(200, { data: toClosingResponse(existing) });
    if (markAt < until) refuse('invalid_state', 'The month is not over, or what happened in it is not settled yet.');
    const { kind, id } = actorOf(caller);
    const closing = { month, markAt, closedAt: now, byKind: kind, byId: id ?? null };
    if (await insertClosing(tx, profileId, closing)) return answer(201, { data: toClosingResponse(closing) });
    return answer(200, { data: toClosingResponse((await findClosing(tx, profileId, month)) ?? closing) });
  });

export const toClosingResponse = ({ month, markAt, closedAt, byKind, byId }: Closing) => ({
  month,
  as_of: markAt.toISOString(),
  closed_at: closedAt.toISOString(),
  closed_by: { kind: byKind, id: byId },
});
