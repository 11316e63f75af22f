import type { Routes } from '@tributary/contract';
import { findDeliveryWait } from '@tributary/domain/campaigns';
import { findDays } from '@tributary/domain/tenants';
import { actorOf, answer, type Handles, refuse } from '@tributary/operations';
import { lastDayOf } from './closed-month.ts';
import { type Closing, findClosing, insertClosing } from './closings-store.ts';
import { settledMoment } from './moment.ts';

/** Keeps the settled moment of now. Whoever closes a month that is closed gets what was kept then. */
export const createClosing: Handles<Routes['createClosing']> = ({ body: { month } }, { caller, effect, now }) =>
  effect(async (tx) => {
    const { profileId } = caller;
    const { until } = await findDays(tx, profileId, `${month}-01`, lastDayOf(month));
    const markAt = settledMoment(now, await findDeliveryWait(tx, profileId), now);
    const known = await findClosing(tx, profileId, month);
    if (known) return answer(200, { data: showClosing(known) });
    if (markAt < until) refuse('invalid_state', 'The month is not over, or what happened in it is not settled yet.');
    const { kind, id } = actorOf(caller);
    const closing = { month, markAt, closedAt: now, byKind: kind, byId: id ?? null };
    if (await insertClosing(tx, profileId, closing)) return answer(201, { data: showClosing(closing) });
    return answer(200, { data: showClosing((await findClosing(tx, profileId, month)) ?? closing) });
  });

export const showClosing = ({ month, markAt, closedAt, byKind, byId }: Closing) => ({
  month,
  as_of: markAt.toISOString(),
  closed_at: closedAt.toISOString(),
  closed_by: { kind: byKind, id: byId },
});
