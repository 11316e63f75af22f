/** What the collector needs of the rules, and nothing else: it must stay small, and phone numbers alone weigh more than this. */
export { isTooDeep } from '../json-depth.ts';
export { amountsOfAddress, type DailyAmounts, dailyAmounts } from '../plan.ts';
export { decodeAll } from './decode.ts';
export { maskName } from './mask-name.ts';
export { maskReferrer, maskUrl } from './mask-url.ts';
export { maskWords } from './personal-names.ts';
export { Effort } from './personal-shapes.ts';
export {
  type ClockRefusal,
  checkClock,
  readEnvelope,
  readVisit,
  type Visit,
  type VisitRefusal,
} from './read-visit.ts';
