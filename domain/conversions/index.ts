export { createEvent } from './create-event.ts';
export { createGoal, createGoalDefinition, listGoalDefinitions } from './goal-definitions.ts';
export type { ReadEvent } from './read-event.ts';
export { OutcomeRace, recordOutcomes } from './record-outcomes.ts';
export { settleCustomers, spreadDefinition } from './settle-customers.job.ts';
