export { createGoal, createGoalDefinition, listGoalDefinitions } from './goal-definitions.ts';
