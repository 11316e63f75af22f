import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import { type CrmChannel, crmChannels } from '@tributary/vocabulary';
import type { ConnectionServices } from './services.ts';
import { readStagesFromCrm } from './stages.ts';

type Services = ConnectionServices & { readonly baseUrl: string };

export const readOutcomesPrefill: Handles<Routes['readOutcomesPrefill'], Services> = async ({ query }, context) => {
  const { connection, stages } = await readStagesFromCrm(context, crmChannels, query.connection_id);
  const suggestions = stages.map(({ pipeline, id, name, suggestion }) => ({
    pipeline_id: pipeline.id,
    stage_id: id,
    name,
    event_key: suggestion,
  }));
  const provider = (connection?.channel as CrmChannel | undefined) ?? null;
  return answer(200, { data: { connection_id: connection?.id ?? null, provider, suggestions } });
};
