export { createEvent, type EventServices } from './create-event.ts';
export { findCustomerTotals } from './find-customer-totals.ts';
export { Gathering } from './gathering.ts';
export { goalReader } from './goal-store.ts';
export { openOutcomeImporter } from './import-outcomes.ts';
export { priceOutcomes, repriceOutcomes } from './price-outcomes.ts';
export { outcomesReadiness } from './readiness.ts';
export type { OutcomeServices } from './services.ts';
export { spreadDefinition } from './spread-definition.job.ts';
