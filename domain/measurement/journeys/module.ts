export { createJourneySummary } from './create-journey-summary.ts';
export { readConversionJourney } from './read-conversion-journey.ts';
export { readCustomerExport } from './read-customer-export.ts';
export { readCustomerJourney } from './read-customer-journey.ts';
export { readJourneyByKey } from './read-journey-by-key.ts';
export { readJourneySummary } from './read-journey-summary.ts';
export type { JourneyServices } from './services.ts';
export { sealedSummaries } from './store.ts';
