import { loadSettings, type Settings } from '@tributary/config';
import { openFirstAccount } from '@tributary/domain/tenancy/accounts/module.ts';
import { createPostgres } from '@tributary/postgres';
import { Command } from 'commander';

export const firstAccountCommand = () =>
  new Command('first-account').action(async () => {
    const offer = await offerFirstAccount(loadSettings(process.env));
    console.log(
      offer ??
        'Somebody has an account already. Others are invited from the console, or made with "tributary user create".',
    );
  });

/** Creates a link for registering the first account, while none exists. */
export async function offerFirstAccount({ databaseOwnerUrl, baseUrl }: Settings): Promise<string | undefined> {
  const owner = createPostgres({ url: databaseOwnerUrl, poolSize: 1 });
  const offered = await openFirstAccount(owner.unbound, baseUrl, new Date()).finally(() => owner.close());
  return (
    offered &&
    `Nobody has an account yet. Make the first one here, until ${offered.until.toISOString().slice(0, 10)}:\n\n  ${offered.url}\n\nA link that was shown before no longer works.\n`
  );
}
