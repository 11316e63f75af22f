import type { Routes } from '@tributary/contract';
import { findEvents } from '@tributary/domain/tenancy/events';
import { answer, type Handles } from '@tributary/operations';
import { payloadOf, toDeliveryResponse } from './delivery/delivery-response.ts';
import { findApps, listDeliveries } from './store.ts';
import { ownerOf } from './subscription.ts';

export const listWebhookDeliveries: Handles<Routes['listWebhookDeliveries']> = async ({ query }, context) => {
  const { ledger, caller } = context;
  const { profileId } = caller;
  const { cursor: before, limit, status, subscription_id: subscriptionId } = query;
  const filter = { ...ownerOf(caller), subscriptionId, status, before, limit: limit + 1 };
  const { rows, logged, apps } = await ledger.transaction(
    async (tx) => {
      const found = await listDeliveries(tx, profileId, filter);
      return {
        rows: found,
        logged: await findEvents(
          tx,
          profileId,
          found.flatMap(({ sequence }) => sequence ?? []),
        ),
        apps: await findApps(
          tx,
          profileId,
          found.map((row) => row.subscription_id),
        ),
      };
    },
    { readOnly: true },
  );
  const shown = rows.slice(0, limit);
  return answer(200, {
    data: shown.map((row) => toDeliveryResponse(row, payloadOf(row, logged, apps.get(row.subscription_id) ?? null))),
    pagination: { has_next: rows.length > limit, cursor: shown.at(-1)?.id ?? null },
  });
};
