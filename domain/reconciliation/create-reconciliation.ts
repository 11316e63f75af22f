import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import { reconciledBookNames } from '@tributary/vocabulary';
import { v7 as uuid } from 'uuid';
import { findKnown, showReconciliation } from './show.ts';
import { insertReconciliation } from './store.ts';

export const createReconciliation: Handles<Routes['createReconciliation']> = ({ body }, { caller, effect, now }) =>
  effect(async (tx) => {
    const id = uuid();
    const books = [...new Set(body.books ?? reconciledBookNames)];
    await insertReconciliation(tx, caller.profileId, {
      id,
      dateFrom: body.date_from,
      dateTo: body.date_to,
      books,
      now,
    });
    return answer(202, { data: showReconciliation(await findKnown(tx, caller.profileId, id)) });
  });
