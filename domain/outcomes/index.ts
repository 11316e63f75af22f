export { createEvent } from './create-event.ts';
export { countDirty, eraseOutcomes, hasOutcomes } from './erase.ts';
export { findCustomerTotals } from './find-customer-totals.ts';
export { goalReader } from './goal-store.ts';
export {
  type ImportedRows,
  type OutcomeCells,
  openOutcomeImporter,
  type RejectedRow,
} from './import-outcomes.ts';
export {
  countConversions,
  findOutcome,
  findTypesOfVisits,
  listNewestConversions,
  listOutcomes,
  listOutcomeTimes,
  type NamedOutcome,
  type OutcomeOwner,
  type PersonOutcome,
} from './outcomes-of.ts';
export type { OwnedPayment, PaymentChange, PaymentStandings, Placement } from './payment-standings.ts';
export { priceOutcomes } from './price-outcomes.ts';
export { type ReadEvent, readEvent } from './read-event.ts';
export { recordOutcomes, untilRecorded } from './record-outcomes.ts';
export { recordVisitOutcomes, type VisitOutcome } from './record-visit-outcomes.ts';
export type { OutcomeServices } from './services.ts';
export { spreadDefinition } from './spread-definition.job.ts';
export { findOriginals, markDirty, markLinked } from './store.ts';
