export {
  type ComparedDay,
  type Comparison,
  compareLedger,
  type Difference,
  findFirstDay,
  isAnyMarked,
} from './compare-ledger.ts';
export { listConversionsOfDay } from './compared-rows.ts';
export { personalData } from './personal-data.ts';
export { readAttributionStage, type Stage, stageOf } from './read-freshness.ts';
export { withLinks } from './stage-links.ts';
export { listLateAttribution } from './sweep-freshness.job.ts';
