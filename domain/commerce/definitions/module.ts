export { loadDefinitions } from './definitions.ts';
export { deleteGoalDefinition } from './delete-goal-definition.ts';
export { createGoal, createGoalDefinition, listGoalDefinitions } from './goal-definitions.ts';
export { upsertStages } from './stages.ts';
export { updateOutcomeDefinition } from './update-outcome-definition.ts';
export { updateOutcomeDefinitions } from './update-outcome-definitions.ts';
