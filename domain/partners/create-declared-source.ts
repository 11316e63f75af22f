import type { Routes } from '@tributary/contract';
import { type Evidence, findCustomerKeys, saveCustomers } from '@tributary/domain/customers';
import { markTouchedCustomers } from '@tributary/domain/outcomes';
import { answer, type Handles } from '@tributary/operations';
import { declaredOrigin } from '@tributary/rules';
import type { PartnerTouchStatus } from '@tributary/vocabulary';
import { v7 as uuid } from 'uuid';
import { momentOf } from './moment.ts';
import { readNamed, refuseNationalId, resolveNamed } from './named-customers.ts';
import type { PartnerServices } from './services.ts';
import { findAnswer, findTold, insertTouches, type PartnerTouch } from './store.ts';

/** Keeps what a customer answered, unless they or this very message did before. */
export const createDeclaredSource: Handles<Routes['createDeclaredSource'], PartnerServices> = async (
  { body },
  { caller, now, requestId, effect, tombstones, mentions, showKey },
) => {
  const { profileId } = caller;
  const identifiers = readNamed(profileId, body, caller.isHealthcare);
  refuseNationalId('answer_text', body.answer_text);
  const at = momentOf(body.occurred_at, now);
  const toldAs = tombstones.hashOf(profileId, `declared_source:${body.wamid}`);
  const evidence: Evidence = { source: 'partner', saidAt: now, requestId };
  return effect(async (tx) => {
    const show = async (status: PartnerTouchStatus, touch: PartnerTouch) => {
      const { customerId } = touch;
      mentions(customerId);
      const counted = (await findAnswer(tx, profileId, customerId)) ?? touch;
      const key = (await findCustomerKeys(tx, profileId, [customerId])).get(customerId);
      const said = body.customer?.external_ref;
      return answer(200, {
        data: {
          touch_id: counted.id,
          status,
          answer_key: counted.answerKey ?? body.answer_key,
          customer_key: showKey({ of: customerId, profileId, key, said }),
        },
      });
    };
    const repeated = async () =>
      (await findTold(tx, profileId, 'declared_source', [toldAs])).get(toldAs.toString('hex'));
    const before = await repeated();
    if (before) return show('duplicate', before);
    const said = [{ identifiers, at }];
    const { book, customerIds, saidOf } = await resolveNamed(tx, profileId, said, evidence, tombstones);
    await saveCustomers(tx, profileId, book.changes());
    const [customerId] = customerIds as [string];
    const first = await findAnswer(tx, profileId, customerId);
    if (first) return show('kept_first', first);
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
    const named = { toldAs, answerText, saidOf: saidOf[0] as string };
    const inserted = await insertTouches(tx, profileId, [{ ...touch, ...named }], now);
    // Somebody told the same message of another customer at this moment.
    if (!inserted.has(touch.id)) return show('duplicate', (await repeated()) ?? touch);
    await markTouchedCustomers(tx, profileId, [{ customerId, at }]);
    return show('recorded', touch);
  });
};
