export { loadDefinitions } from './definitions.ts';
export { createGoal, createGoalDefinition, listGoalDefinitions } from './goal-definitions.ts';
