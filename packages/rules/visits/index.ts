/**
 * The part of the rules that the collector needs, kept small: the phone number library alone is larger than all of
 * this.
 */
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
