import { type ProfileContext, refuse } from '@tributary/operations';
import type { Tx } from '@tributary/postgres';
import { type StageOutcome, stageOutcomes } from '@tributary/vocabulary';
import type { Jobs } from '@tributary/work';
import { loadDefinitions, lockDefinitions, type StoredDefinition } from './definitions.ts';
import { settleGoal } from './goal-definitions.ts';
import { mapStage, readStages, type StageDefinition } from './stages.ts';

interface OutcomeDefinitions {
  readonly goals: readonly StoredDefinition[];
  readonly stages: readonly StageDefinition[];
}

export async function readOutcomeDefinitions(tx: Tx, profileId: string, now: Date): Promise<OutcomeDefinitions> {
  return { goals: await loadDefinitions(tx, profileId, now), stages: await readStages(tx, profileId) };
}

export interface WishedMeaning {
  readonly id: string;
  readonly eventKey: string;
  /** Where the caller said it, for a refusal. */
  readonly field: string;
}

/** Gives definitions their meaning, all in one transaction; one that the profile does not have is the caller's to refuse. */
export async function giveMeanings(
  tx: Tx,
  wishes: readonly WishedMeaning[],
  context: ProfileContext & { jobs: Jobs },
  unknown: (wish: WishedMeaning) => never,
): Promise<OutcomeDefinitions> {
  const { caller, now, jobs } = context;
  const { profileId } = caller;
  await lockDefinitions(tx, profileId);
  const { goals, stages } = await readOutcomeDefinitions(tx, profileId, now);
  let isStageChanged = false;
  for (const wish of wishes) {
    const stage = stages.find(({ id }) => id === wish.id);
    const goal = goals.find(({ id }) => id === wish.id);
    if (stage) {
      if (await mapStage(tx, profileId, stage, stageOutcomeOf(wish), now)) isStageChanged = true;
    } else if (goal) {
      await settleGoal(tx, { name: goal.name, conversion_key: goal.key, event_names: [wish.eventKey] }, context);
    } else unknown(wish);
  }
  // Deals that stood in it were no outcome, or another: they are read again.
  if (isStageChanged) await jobs.enqueue(tx, 'rereadDeals', { profileId });
  return readOutcomeDefinitions(tx, profileId, now);
}

function stageOutcomeOf({ eventKey, field }: WishedMeaning): StageOutcome {
  const outcome = stageOutcomes.find((one) => one === eventKey);
  return (
    outcome ??
    refuse('validation_error', `The field "${field}" is not valid: a stage counts as ${stageOutcomes.join(', ')}.`, {
      fields: { field },
    })
  );
}

export const showGoal = (goal: StoredDefinition) => ({
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

export const showStage = (stage: StageDefinition) => ({
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

export const showAll = ({ goals, stages }: OutcomeDefinitions) => [...goals.map(showGoal), ...stages.map(showStage)];
