import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import { findLatestVerification } from '../store.ts';
import { toVerificationResponse } from './tracking-verification.ts';

export const readTrackingVerification: Handles<Routes['readTrackingVerification']> = async (_input, context) => {
  const { ledger, caller, now } = context;
  const row = await ledger.transaction((tx) => findLatestVerification(tx, caller.profileId), {
    readOnly: true,
  });
  return answer(200, { data: row ? toVerificationResponse(row, now) : null });
};
