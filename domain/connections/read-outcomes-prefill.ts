import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import { crmChannels } from '@tributary/vocabulary';
import type { ConnectionServices } from './services.ts';
import { askStages } from './stages.ts';

type Services = ConnectionServices & { readonly baseUrl: string };

export const readOutcomesPrefill: Handles<Routes['readOutcomesPrefill'], Services> = async (_input, context) => {
  for (const channel of crmChannels) {
    const { connection, stages } = await askStages(context, channel);
    if (!connection) continue;
    const suggestions = stages.map(({ pipeline, id, name, suggestion }) => ({
      pipeline_id: pipeline.id,
      stage_id: id,
      name,
      event_key: suggestion,
    }));
    return answer(200, { data: { provider: channel, suggestions } });
  }
  return answer(200, { data: { provider: null, suggestions: [] } });
};
