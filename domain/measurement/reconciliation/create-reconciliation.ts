import type { Routes } from '@tributary/contract';
import { answer, type Handles, refuse } from '@tributary/operations';
import { limits, reconciledBookNames } from '@tributary/vocabulary';
import { v7 as uuid } from 'uuid';
import { findRun, toRunResponse } from './show.ts';
import { countQueued, insertReconciliation } from './store.ts';

export const createReconciliation: Handles<Routes['createReconciliation']> = ({ body }, { caller, effect, now }) =>
  effect(async (tx) => {
    const { mostQueued } = limits.reconciliation;
    if ((await countQueued(tx, caller.profileId)) >= mostQueued)
      refuse(
        'invalid_state',
        `Up to ${mostQueued} reconciliations of a profile wait at a time. Try again when one is done.`,
        {
          fields: { reason: 'too_many_queued' },
        },
      );
    const id = uuid();
    const books = [...new Set(body.books ?? reconciledBookNames)];
    await insertReconciliation(tx, caller.profileId, {
      id,
      dateFrom: body.date_from,
      dateTo: body.date_to,
      books,
      now,
    });
    return answer(202, { data: toRunResponse(await findRun(tx, caller.profileId, id)) });
  });
