import type { Routes } from '@tributary/contract';
import { type Evidence, findCustomerKeys, saveCustomers } from '@tributary/domain/commerce/customers';
import { markTouchedCustomers } from '@tributary/domain/commerce/outcomes';
import { answer, type Handles } from '@tributary/operations';
import { declaredOrigin } from '@tributary/rules';
import type { PartnerTouchStatus } from '@tributary/vocabulary';
import { v7 as uuid } from 'uuid';
import { parseOccurredAt } from './occurred-at.ts';
import { readIdentifiers, refuseNationalId, resolveCustomers } from './resolve-customers.ts';
import type { PartnerServices } from './services.ts';
import { findAnswer, findExistingTouches, insertTouches, type PartnerTouch } from './store.ts';

/** Records a customer's answer, unless the customer already answered or the message was already received. */
export const createDeclaredSource: Handles<Routes['createDeclaredSource'], PartnerServices> = async (
  { body },
  { caller, now, requestId, effect, tombstones, mentions, showKey },
) => {
  const { profileId } = caller;
  const identifiers = readIdentifiers(profileId, body, caller.isHealthcare);
  refuseNationalId('answer_text', body.answer_text);
  const at = parseOccurredAt(body.occurred_at, now);
  const keyHash = tombstones.hashOf(profileId, `declared_source:${body.wamid}`);
  const evidence: Evidence = { source: 'partner', saidAt: now, requestId };
  return effect(async (tx) => {
    const respond = async (status: PartnerTouchStatus, touch: PartnerTouch) => {
      const { customerId } = touch;
      mentions(customerId);
      const counted = (await findAnswer(tx, profileId, customerId)) ?? touch;
      const key = (await findCustomerKeys(tx, profileId, [customerId])).get(customerId);
      const requestedKey = body.customer?.external_ref;
      return answer(200, {
        data: {
          touch_id: counted.id,
          status,
          answer_key: counted.answerKey ?? body.answer_key,
          customer_key: showKey({ of: customerId, profileId, key, said: requestedKey }),
        },
      });
    };
    const findDuplicate = async () =>
      (await findExistingTouches(tx, profileId, 'declared_source', [keyHash])).get(keyHash.toString('hex'));
    const before = await findDuplicate();
    if (before) return respond('duplicate', before);
    const entries = [{ identifiers, at }];
    const { book, customerIds, saidOf } = await resolveCustomers(tx, profileId, entries, evidence, tombstones);
    await saveCustomers(tx, profileId, book.changes());
    const [customerId] = customerIds as [string];
    const first = await findAnswer(tx, profileId, customerId);
    if (first) return respond('kept_first', first);
    const touch: PartnerTouch = {
      id: uuid(),
      kind: 'declared_source',
      customerId,
      occurredAt: at,
      origin: declaredOrigin(body.answer_key),
      adExternalId: null,
      answerKey: body.answer_key,
    };
    const answerText = body.answer_text?.trim() || null;
    const details = { keyHash, answerText, saidOf: saidOf[0] as string };
    const inserted = await insertTouches(tx, profileId, [{ ...touch, ...details }], now);
    // A concurrent request recorded the same message for another customer.
    if (!inserted.has(touch.id)) return respond('duplicate', (await findDuplicate()) ?? touch);
    await markTouchedCustomers(tx, profileId, [{ customerId, at }]);
    return respond('recorded', touch);
  });
};
