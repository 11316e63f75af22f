import type { Routes } from '@tributary/contract';
import { answer, type Handles, refuse } from '@tributary/operations';
import { limits } from '@tributary/vocabulary';
import { mintSecret, openSecrets, rotateSecrets, sealSecrets, signingAt } from './secrets.ts';
import type { WebhookServices } from './services.ts';
import { lockSubscription, updateSubscription } from './store.ts';
import { assertOwn, noSuchSubscription, ownerOf } from './subscription.ts';

const { secretsAtOnce, graceHours } = limits.webhooks;

export const rotateWebhookSecret: Handles<Routes['rotateWebhookSecret'], Pick<WebhookServices, 'vault'>> = async (
  { params },
  { caller, effect, now, vault },
) => {
  const owner = { profileId: caller.profileId, id: params.id };
  const secret = mintSecret();
  return effect(async (tx) => {
    const row = await lockSubscription(tx, caller.profileId, params.id, ownerOf(caller));
    if (!row) return noSuchSubscription();
    assertOwn(caller, row);
    const before = openSecrets(vault, owner, row.secrets);
    if (signingAt(before, now).length >= secretsAtOnce) {
      refuse('invalid_state', `${secretsAtOnce} secrets sign already. Wait until one is ${graceHours} hours old.`, {
        fields: { reason: 'too_many_secrets' },
      });
    }
    const after = rotateSecrets(before, secret, now);
    await updateSubscription(tx, row, { secrets: sealSecrets(vault, owner, after), updated_at: now });
    return answer(200, {
      data: { id: row.id, secret, previous_secret_valid_until: after[1]?.until ?? now.toISOString() },
      meta: {},
    });
  });
};
