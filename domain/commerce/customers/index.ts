export { CustomerBook, type CustomerMessage, type Evidence, type OpenedCustomers } from './customer-book.ts';
export {
  type Contact,
  countHeld,
  findContacts,
  findCustomer,
  findCustomerBy,
  findStrongest,
  listDisputed,
  listIdentifiers,
  listSamePerson,
} from './customer-queries.ts';
export {
  findClaimants,
  findIdentifiers,
  findMergedInto,
  findShells,
  handOverShared,
  insertShell,
  walkIdentifiers,
} from './erase.ts';
export type { Cleared, ErasedCustomer, ErasedPerson, PersonalData } from './erased-customer.ts';
export { emptyRange, type Goal, type GoalReader, type Position, type ScannedRange } from './goal-reader.ts';
export type { CustomerServices } from './import-customers.ts';
export { createErasedMentionFinder, type FindNamingErased, type StoredContent } from './mentions.ts';
export {
  findMerges,
  listLargestMerges,
  listMergesOf,
  listStatedIdentifiers,
  listUnmergeable,
  type MergeCursor,
  type MergeRow,
  type StatedIdentifier,
} from './merges.ts';
export { openCustomers } from './open-customers.ts';
export { personalData } from './personal-data.ts';
export { readPhone, readWhatsAppId } from './phones.ts';
export {
  decideProposal,
  listProposals,
  lockProposal,
  type MergeProposal,
  mergeConfirmed,
  type ProposalCursor,
} from './proposals.ts';
export { saveCustomers } from './save-customers.ts';
export { type NamedKind, readIdentifier } from './selector.ts';
export { hasUnconfirmedKeys, separateKeys } from './separate-keys.ts';
export {
  blockCustomerWrites,
  findBindings,
  findCustomerKeys,
  findCustomerProfiles,
  findProviderIds,
  findSurvivors,
  lockSurvivors,
  lockUnmerged,
} from './store.ts';
export {
  clickMarker,
  findStrengthOfErased,
  findTombstones,
  listTombstones,
  lockPendingErasures,
  nameOfCustomer,
  nameOfIdentifier,
  nameOfVisitor,
  saveTombstones,
  type Tombstones,
  tombstonesUnder,
} from './tombstones.ts';
export type { CustomerTotals, FindCustomerTotals, WithoutRate } from './totals.ts';
export { retryUndo, type Undone, undoMerges } from './undo-merges.ts';
