import type { Routes } from '@tributary/contract';
import { answer, type Handles, refuse } from '@tributary/operations';

/** Without the consent its tokens are worth nothing; they go with the session, or when they run out. */
export const deleteAssistant: Handles<Routes['deleteAssistant']> = async ({ params }, { caller, effect }) =>
  effect(async (tx) => {
    const consent = await tx
      .deleteFrom('oauth_consents')
      .where('id', '=', params.id)
      .where('user_id', '=', caller.userId)
      .returning('id')
      .executeTakeFirst();
    if (!consent) return refuse('not_found', 'No assistant of yours has this id.');
    return answer(200, { data: { id: consent.id, deleted: true } });
  });
