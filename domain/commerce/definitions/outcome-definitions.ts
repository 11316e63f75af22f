import { type ProfileContext, refuse } from '@tributary/operations';
import type { Tx } from '@tributary/postgres';
import { type StageOutcome, stageOutcomes } from '@tributary/vocabulary';
import type { Jobs } from '@tributary/work';
import { loadDefinitions, lockDefinitions, type StoredDefinition } from './definitions.ts';
import { saveGoal } from './goal-definitions.ts';
import { mapStage, readStages, type StageDefinition } from './stages.ts';

interface OutcomeDefinitions {
  readonly goals: readonly StoredDefinition[];
  readonly stages: readonly StageDefinition[];
}

export async function readOutcomeDefinitions(tx: Tx, profileId: string, now: Date): Promise<OutcomeDefinitions> {
  return { goals: await loadDefinitions(tx, profileId, now), stages: await readStages(tx, profileId) };
}

export interface MeaningInput {
  readonly id: string;
  readonly eventKey: string;
  /** The request field, for error responses. */
  readonly field: string;
}

/** Changes the meaning of several definitions in one transaction. Calls `unknown` for an id that the profile does not have. */
export async function saveMeanings(
  tx: Tx,
  inputs: readonly MeaningInput[],
  context: ProfileContext & { jobs: Jobs },
  unknown: (input: MeaningInput) => never,
): Promise<OutcomeDefinitions> {
  const { caller, now, jobs } = context;
  const { profileId } = caller;
  await lockDefinitions(tx, profileId);
  const { goals, stages } = await readOutcomeDefinitions(tx, profileId, now);
  let isStageChanged = false;
  for (const input of inputs) {
    const stage = stages.find(({ id }) => id === input.id);
    const goal = goals.find(({ id }) => id === input.id);
    if (stage) {
      if (await mapStage(tx, profileId, stage, stageOutcomeOf(input), now)) isStageChanged = true;
    } else if (goal) {
      await saveGoal(tx, { name: goal.name, conversion_key: goal.key, event_names: [input.eventKey] }, context);
    } else unknown(input);
  }
  // The outcomes of deals in this stage change, so the deals are read again.
  if (isStageChanged) await jobs.enqueue(tx, 'rereadDeals', { profileId });
  return readOutcomeDefinitions(tx, profileId, now);
}

function stageOutcomeOf({ eventKey, field }: MeaningInput): StageOutcome {
  const outcome = stageOutcomes.find((one) => one === eventKey);
  return (
    outcome ??
    refuse('validation_error', `The field "${field}" is not valid: a stage counts as ${stageOutcomes.join(', ')}.`, {
      fields: { field },
    })
  );
}

export const toOutcomeDefinitionOfGoal = (goal: StoredDefinition) => ({
  id: goal.id,
  kind: 'goal' as const,
  name: goal.name,
  event_key: goal.eventNames[0] ?? goal.key,
  channel: null,
  pipeline_id: null,
  stage_id: null,
  source: null,
  updated_at: goal.updatedAt.toISOString(),
});

export const toOutcomeDefinitionOfStage = (stage: StageDefinition) => ({
  id: stage.id,
  kind: 'pipeline_stage' as const,
  name: stage.name,
  event_key: stage.eventKey,
  channel: stage.channel,
  pipeline_id: stage.pipelineId,
  stage_id: stage.stageId,
  source: stage.source,
  updated_at: stage.updatedAt.toISOString(),
});

export const toOutcomeDefinitions = ({ goals, stages }: OutcomeDefinitions) => [
  ...goals.map(toOutcomeDefinitionOfGoal),
  ...stages.map(toOutcomeDefinitionOfStage),
];
