import { answer } from '@tributary/operations';
import { type ActionAnswer, answerOf } from './action-response.ts';
import type { Request } from './request.ts';
import { perform } from './run-ad-action.ts';
import type { AdContext } from './services.ts';
import type { Action } from './store.ts';

/** Performs one action per request: its end, its response and its audit entry are committed together. */
export async function performOne(context: AdContext, request: Omit<Request, 'key'>) {
  const data: ActionAnswer = await perform(context, { ...request, key: keyOf(context) }, async (end) => {
    let ended: Action | undefined;
    await context.effect(async (tx) => {
      ended = await end(tx);
      return answer(200, { data: answerOf(ended) });
    });
    return ended as Action;
  });
  return answer(200, { data });
}

export function keyOf({ requestKey }: AdContext): Request['key'] {
  if (!requestKey) throw new Error('A change at a platform needs an Idempotency-Key.');
  return requestKey;
}
