export { inheritSessionSource } from './arrivals.ts';
export { clearedVisit } from './cleared-visit.ts';
export { forgetDeadLetters, openDeadLetters } from './delete-dead-letters.ts';
export { findVisitorsOf, linkVisitors, walkVisitors } from './erase.ts';
export { type Opening, openBadVisits } from './erase-invalid-visits.ts';
export { findActiveProfiles, listSilent } from './last-visits.ts';
export { personalData } from './personal-data.ts';
export { isSigned, type Signing, signedText } from './signature.ts';
export {
  countBadVisitsByDay,
  countBrowsers,
  countBrowsersByOrigin,
  countRefusedByDay,
  findHolders,
  findLatestBrowsers,
  listBrowsers,
  listLinkedVisitors,
} from './store.ts';
