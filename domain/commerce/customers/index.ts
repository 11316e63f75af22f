export { CustomerBook, type Evidence, type KnownCustomers, type Said } from './customer-book.ts';
export {
  findClaimants,
  findIdentifiers,
  findMergedInto,
  findShells,
  handOverShared,
  insertShell,
  walkIdentifiers,
} from './erase.ts';
export type { Cleared, ErasedPerson, PersonalData, KnownPerson } from './erased-customer.ts';
export { emptyRange, type Goal, type GoalReader, type Position, type ScannedRange } from './goal-reader.ts';
export { personalData } from './personal-data.ts';
export type { CustomerServices } from './import-customers.ts';
export {
  findMerges,
  type HeldBy,
  listKeptApart,
  listLargestMerges,
  listMergesOf,
  listSaidIdentifiers,
  type MergePlace,
  type MergeRow,
} from './merges.ts';
export { type FindNamingErased, findsNamingErased, type Kept } from './mentions.ts';
export { openCustomers } from './open-customers.ts';
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
  findBindings,
  findCustomerKeys,
  findProfilesOf,
  findProviderIds,
  findSurvivors,
  holdCustomers,
  lockSurvivors,
  lockUnmerged,
} from './store.ts';
export {
  clickMarker,
  findStrengthOfErased,
  findTombstones,
  listTombstones,
  nameOfCustomer,
  nameOfIdentifier,
  nameOfVisitor,
  openShells,
  saveTombstones,
  type Tombstones,
  tombstonesUnder,
} from './tombstones.ts';
export type { CustomerTotals, FindCustomerTotals, WithoutRate } from './totals.ts';
export { type Undone, undoMerges, untilUndone } from './undo-merges.ts';
