import { answer } from '@tributary/operations';
import { retireKeys, rewrapKeys, rotatedPurposes, rotateKey } from '@tributary/vault';
import type { KeyPurpose } from '@tributary/vocabulary';
import { Argument, Command } from 'commander';
import { withLedgers } from '../ledgers.ts';
import { tell } from '../output.ts';

type Json = { json?: boolean };
const purpose = () => new Argument('<purpose>', 'what the key is for').choices(rotatedPurposes);
const asOwner = { asOwner: true } as const;
const rotating = { id: 'rotateKey', audit: { action: 'key_ring.rotated', of: 'key_ring:{data.purpose}' } } as const;
const retiring = { id: 'retireKeys', audit: { action: 'key_ring.retired', of: 'key_ring:{data.purpose}' } } as const;
const rewrapping = {
  id: 'rewrapKeys',
  audit: { action: 'key_ring.rewrapped', of: 'key_ring:{data.purpose}' },
} as const;
const sub = (name: string, description: string) =>
  new Command(name).description(description).option('--json', 'machine-readable output');

/** The service's own keys, rotated while it runs. */
export const keysCommand = () =>
  new Command('keys')
    .description("The service's own keys (not API keys): rotate while it runs")
    .addCommand(
      sub('rotate', 'Add a key; new work uses it within half a minute, older keys can still be read')
        .addArgument(purpose())
        .action((name: KeyPurpose, { json }: Json) =>
          withLedgers(async ({ operator, platform, now }) => {
            const { body } = await operator.effect(rotating, asOwner, async (tx) =>
              answer(200, { data: { purpose: name, id: await rotateKey(tx, platform.masterVault(), name, now) } }),
            );
            tell(body.data, json, 'Rotated.');
          }),
        ),
    )
    .addCommand(
      sub('retire', 'Retire all keys of a purpose but the newest: what they made can no longer be read')
        .addArgument(purpose())
        .action((name: KeyPurpose, { json }: Json) =>
          withLedgers(async ({ operator, now }) => {
            const { body } = await operator.effect(retiring, asOwner, async (tx, addToAudit) => {
              const retired = await retireKeys(tx, name, now);
              addToAudit({ detail: { retired } });
              return answer(200, { data: { purpose: name, retired } });
            });
            tell(body.data, json, 'Retired.');
          }),
        ),
    )
    .addCommand(
      sub('rewrap', 'Wrap all keys under the first key of ENCRYPTION_KEYS, so that the others can leave it').action(
        ({ json }: Json) =>
          withLedgers(async ({ operator, platform }) => {
            const { body } = await operator.effect(rewrapping, asOwner, async (tx, addToAudit) => {
              const rewrapped = await rewrapKeys(tx, platform.masterVault());
              addToAudit({ detail: { rewrapped } });
              return answer(200, { data: { purpose: 'all', rewrapped } });
            });
            tell({ rewrapped: body.data.rewrapped }, json, 'Rewrapped.');
          }),
      ),
    );
