import type { AnswerOf, Routes } from '@tributary/contract';
import type { TargetRow } from './store.ts';

export type TargetResponse = AnswerOf<Routes['updateExportCatalog']>['body']['data']['exports'][number];

export const toTargetResponse = (row: TargetRow): TargetResponse => ({
  id: row.id,
  connection_id: row.connection_id,
  dataset: row.dataset,
  messaging:
    row.messaging_account && row.messaging_dataset
      ? { account_id: row.messaging_account, dataset: row.messaging_dataset }
      : null,
  events: row.events as TargetResponse['events'],
  every_minutes: row.every_minutes,
  is_enabled: row.is_enabled,
  clean_dataset: row.clean_dataset,
  target: row.uses_clean ? 'clean' : 'existing',
});
