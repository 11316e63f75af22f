import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import { listSubscriptions } from './store.ts';
import { ownerOf, toSubscriptionResponse } from './subscription.ts';

export const listWebhookSubscriptions: Handles<Routes['listWebhookSubscriptions']> = async (_input, context) => {
  const { ledger, caller } = context;
  const rows = await ledger.transaction((tx) => listSubscriptions(tx, caller.profileId, ownerOf(caller)), {
    readOnly: true,
  });
  return answer(200, { data: rows.map(toSubscriptionResponse) });
};
