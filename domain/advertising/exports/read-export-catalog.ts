import type { AnswerOf, PrivacyMode, Routes } from '@tributary/contract';
import { findPrivacyMode } from '@tributary/domain/tenancy/tenants';
import { answer, type Handles } from '@tributary/operations';
import type { Tx } from '@tributary/postgres';
import { listTargets } from './store.ts';
import { toTargetResponse } from './target-response.ts';

type Catalog = AnswerOf<Routes['readExportCatalog']>['body']['data'];

export const readCatalog = async (tx: Tx, profileId: string): Promise<Catalog> => ({
  privacy_mode: (await findPrivacyMode(tx, profileId)) as PrivacyMode,
  exports: (await listTargets(tx, profileId)).map(toTargetResponse),
});

export const readExportCatalog: Handles<Routes['readExportCatalog']> = async (_request, { ledger, caller }) => {
  const data = await ledger.transaction((tx) => readCatalog(tx, caller.profileId), { readOnly: true });
  return answer(200, { data });
};
