import type { Routes } from '@tributary/contract';
import { upsertStages } from '@tributary/domain/commerce/definitions';
import { answer, type Handles } from '@tributary/operations';
import {
  type ConnectionStatus,
  type Language,
  type StageNextStep,
  type StageOutcome,
  stageOutcomes,
} from '@tributary/vocabulary';
import type { ConnectionServices } from './services.ts';
import { type LiveStages, readStagesFromCrm, toFoundStage } from './stages.ts';

const labels: Record<Language, Record<StageOutcome, string>> = {
  en: {
    lead_created: 'New lead',
    messaging_started: 'Conversation started',
    appointment_booked: 'Appointment booked',
    quote_sent: 'Quote sent',
    closed_won: 'Deal won',
    ignored: 'Does not count',
    unmapped: 'Not decided yet',
  },
  es: {
    lead_created: 'Nuevo prospecto',
    messaging_started: 'Conversación iniciada',
    appointment_booked: 'Cita agendada',
    quote_sent: 'Cotización enviada',
    closed_won: 'Negocio ganado',
    ignored: 'No cuenta',
    unmapped: 'Sin decidir',
  },
};

export const listStages: Handles<Routes['listStages'], ConnectionServices & { readonly baseUrl: string }> = async (
  { params: { provider }, query: { locale, connection_id } },
  context,
) => {
  const { ledger, caller, now } = context;
  const { profileId } = caller;
  const live = await readStagesFromCrm(context, [provider], connection_id);
  const found = live.stages.map(toFoundStage);
  const stored = await ledger.transaction((tx) => upsertStages(tx, profileId, provider, found, now));
  const byId = new Map(stored.map((stage) => [`${stage.pipelineId}/${stage.stageId}`, stage]));
  const canWrite = caller.scopes.has('goals:write') && caller.isEntitled;
  const stages = live.stages.flatMap(({ suggestion, ...stage }) => {
    const definition = byId.get(`${stage.pipeline.id}/${stage.id}`);
    if (!definition) return [];
    const current = { event_key: definition.eventKey, source: definition.source };
    return [{ ...stage, definition_id: definition.id, suggested: suggestion, current, can_write: canWrite }];
  });
  return answer(200, {
    data: {
      connection_id: live.connection?.id ?? null,
      status: (live.connection?.status as ConnectionStatus | undefined) ?? null,
      can_write: canWrite,
      next_step: nextStep(live, stages),
      outcomes: stageOutcomes.map((key) => ({ key, label: labels[locale][key] })),
      stages,
    },
  });
};

function nextStep(
  { connection }: LiveStages,
  stages: readonly { readonly current: { readonly event_key: StageOutcome } }[],
): StageNextStep | null {
  if (!connection) return 'connect';
  if (connection.status === 'reconnect_required') return 'reconnect';
  return stages.some(({ current }) => current.event_key === 'unmapped') ? 'map_stages' : null;
}
