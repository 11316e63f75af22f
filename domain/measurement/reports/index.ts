export { nameOf } from './campaign-row.ts';
export { compareReportDays, compareReports } from './compare-report.ts';
export { isId, isMinorUnits, readCursor, writeCursor } from './cursor.ts';
export { explainFigure, explainReport } from './explain-report.ts';
export type { ReportField } from './explained-figure.ts';
export { credit, spendOf } from './figures.ts';
export { findEntity } from './find-entity.ts';
export { listCampaigns } from './list-campaigns.ts';
export {
  type DeliveryPeriod,
  deliveryPeriodOf,
  type Exclusion,
  paymentsWithoutRate,
  readDeliveryPeriod,
  readFreshness,
  readPeriod,
  spendWithoutRate,
} from './period.ts';
export { maxRates, rateParameters } from './rate-parameters.ts';
export { readEntities } from './read-entities.ts';
export { readOverview } from './read-overview.ts';
export { listReportedSpend, type ReportedSpend } from './reported-spend.ts';
export type { ReportContext, ReportServices } from './services.ts';
export { plainDecimal } from './sum-figure.ts';
