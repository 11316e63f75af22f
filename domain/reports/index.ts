export { nameOf } from './campaign-row.ts';
export { compareReport, compareReportDays } from './compare-report.ts';
export { isId, isMinorUnits, readCursor, writeCursor } from './cursor.ts';
export { credit, spendOf } from './figures.ts';
export {
  type Exclusion,
  mostRates,
  paymentsWithoutRate,
  rateParameters,
  readDeliveryPeriod,
  readFreshness,
  readPeriod,
  spendWithoutRate,
} from './period.ts';
export { readEntities } from './read-entities.ts';
export type { ReportServices } from './services.ts';
export { listToldSpend, type ToldSpend } from './told-spend.ts';
