export { countByRegion } from './count-by-region.ts';
export {
  countOutcomesByCustomer,
  countOutcomesByMember,
  countOutcomesOf,
  countUnnamedSince,
} from './count-outcomes.ts';
export {
  type CountedChange,
  findCurrencies,
  findNeighbours,
  findSaleMembers,
  type LedgerRecord,
  listSaleRecords,
  saveCounted,
} from './counted.ts';
export { countDirty, eraseOutcomes, hasOutcomes } from './erase.ts';
export { findCustomerTotals } from './find-customer-totals.ts';
export {
  countConversions,
  type Exportable,
  findExportable,
  findOutcome,
  findOutcomeCustomers,
  findTypesOfVisits,
  listConversionsAfter,
  listNewestConversions,
  listOrigins,
  listOutcomes,
  listOutcomeTimes,
  type NamedOutcome,
  type OutcomeOwner,
  type PersonOutcome,
} from './find-outcomes.ts';
export type {
  Classification,
  FirstPaymentService,
  OwnedPayment,
  PaymentChange,
  RefundReceipt,
  RefundReport,
} from './first-payment-service.ts';
export {
  markCustomersDirty,
  markDirty,
  markLinked,
  markStandings,
  markTouchedCustomers,
  saveStandings,
} from './mark-dirty.ts';
export { OutcomeRace } from './outcome-race.ts';
export {
  findPayment,
  findReferred,
  isDirty,
  type LedgerPayment,
  listNewestPayments,
  listPayments,
  lockMoney,
  saveMerchantOverrides,
  saveRefunded,
} from './payments.ts';
export { personalData } from './personal-data.ts';
export { findProvided, findStageRecords, listProvided, type ProvidedPayment, type StageRecord } from './provided.ts';
export { type ReadEvent, readEvent, readOneOfMany } from './read-event.ts';
export { recordAll } from './record-all.ts';
export { type RecordContext, recordOutcomes, retryOnConflict } from './record-outcomes.ts';
export { recordVisitOutcomes, type VisitOutcome } from './record-visit-outcomes.ts';
export {
  continueRescan,
  endRescan,
  findRescan,
  isSalePending,
  markScanned,
  rescanSources,
  type SaleRescan,
} from './sale-rescans.ts';
export {
  type DirtySale,
  listDirtySales,
  listSaleSources,
  lockSaleSource,
  type SaleSource,
  saveSaleSource,
} from './sale-sources.ts';
export type { FindAdPlatforms, OutcomeServices, VisitorLinks } from './services.ts';
export { findOriginals } from './store.ts';
export { type SourceSums, sumBySource } from './sum-by-source.ts';
export { sumUncounted, sumWithoutRate } from './sum-without-rate.ts';
