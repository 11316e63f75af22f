import type { Routes } from '@tributary/contract';
import { answer, type Handles, refuse } from '@tributary/operations';
import { limits } from '@tributary/vocabulary';
import type { Accounts } from './accounts.ts';
import { assertPassword } from './assert-password.ts';
import { listPasskeyRows } from './store.ts';

export const beginPasskey: Handles<Routes['beginPasskey'], { accounts: Accounts }> = async ({ body }, context) => {
  const { accounts, caller, cookie, ledger } = context;
  await assertPassword(accounts, body.current_password, 'beginPasskey', context);
  const present = await ledger.transaction((tx) => listPasskeyRows(tx, caller.userId));
  if (present.length >= limits.passkeys.most)
    refuse('invalid_state', `A person may have ${limits.passkeys.most} passkeys. Give one up first.`);
  return answer(200, { data: await accounts.passkeys.begin(cookie ?? '') });
};
