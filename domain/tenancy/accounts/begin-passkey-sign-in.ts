import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import type { Accounts } from './accounts.ts';

export const beginPasskeySignIn: Handles<Routes['beginPasskeySignIn'], { accounts: Accounts }> = async (
  _input,
  { accounts },
) => answer(200, { data: await accounts.passkeys.beginSignIn() });
