import { retireKeys, rewrapKeys, rotatedPurposes, rotateKey } from '@tributary/vault';
import type { KeyPurpose } from '@tributary/vocabulary';
import { Argument, Command } from 'commander';
import { withLedgers } from '../ledgers.ts';
import { tell } from '../output.ts';

type Json = { json?: boolean };
const purpose = () => new Argument('<purpose>', 'what the key is for').choices(rotatedPurposes);
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
            const id = await rotateKey(operator.unbound, platform.masterVault(), name, now);
            tell({ purpose: name, id }, json, 'Rotated.');
          }),
        ),
    )
    .addCommand(
      sub('retire', 'Retire all keys of a purpose but the newest: what they made can no longer be read')
        .addArgument(purpose())
        .action((name: KeyPurpose, { json }: Json) =>
          withLedgers(async ({ operator, now }) => {
            tell({ purpose: name, retired: await retireKeys(operator.unbound, name, now) }, json, 'Retired.');
          }),
        ),
    )
    .addCommand(
      sub('rewrap', 'Wrap all keys under the first key of ENCRYPTION_KEYS, so that the others can leave it').action(
        ({ json }: Json) =>
          withLedgers(async ({ operator, platform }) => {
            tell({ rewrapped: await rewrapKeys(operator.unbound, platform.masterVault()) }, json, 'Rewrapped.');
          }),
      ),
    );
