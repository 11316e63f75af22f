import type { Routes } from '@tributary/contract';
import { answer, type Handles, refuse } from '@tributary/operations';
import { noSuchConnection } from './read-connection.ts';
import type { ConnectionServices } from './services.ts';
import { lockConnection, updateConnection } from './store.ts';
import { readPages, toPagesResponse } from './tracked-pages.ts';

type Services = ConnectionServices & { readonly baseUrl: string };

export const selectTrackedPages: Handles<Routes['selectTrackedPages'], Services> = async ({ body }, context) => {
  const { caller, effect, addToAudit } = context;
  const { connection, pages } = await readPages(context, {
    named: body.connection_id,
    several: 'refuse',
    field: 'validation_error',
  });
  const offered = new Map(pages.map(({ id, name }) => [id, { id, name }]));
  const chosen = [...new Set(body.page_ids)].map((id, index) => {
    const page = offered.get(id);
    return (
      page ??
      refuse('validation_error', `The field "page_ids.${index}" names a page that the account does not have.`, {
        fields: { field: `page_ids.${index}` },
      })
    );
  });
  return effect(async (tx) => {
    const row = await lockConnection(tx, caller.profileId, connection.id);
    if (!row) return noSuchConnection();
    await updateConnection(tx, row, { tracked_pages: JSON.stringify(chosen) });
    addToAudit({ detail: { connection_id: row.id, pages: chosen.length } });
    return answer(200, { data: toPagesResponse({ connection: { ...row, tracked_pages: chosen }, pages }) });
  });
};
