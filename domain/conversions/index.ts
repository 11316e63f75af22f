export { createEvent } from './create-event.ts';
export { createGoal, createGoalDefinition, listGoalDefinitions } from './goal-definitions.ts';
export { settleCustomers, spreadDefinition } from './settle-customers.job.ts';
