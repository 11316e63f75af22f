export { CustomerBook, type Evidence, type KnownCustomers, type Said } from './customer-book.ts';
export { importCustomers } from './import-customers.ts';
export { findFitting, fittingAmong } from './match-customers.ts';
export {
  countHeld,
  findCustomer,
  findCustomerBy,
  listDisputed,
  listIdentifiers,
  listSamePerson,
} from './people.ts';
export { searchCustomers } from './search-customers.ts';
export { type NamedKind, readIdentifier } from './selector.ts';
export {
  type CustomerName,
  findBindings,
  findCustomerKeys,
  findNames,
  findSurvivors,
  lockSurvivors,
  openCustomers,
  saveCustomers,
} from './store.ts';
export type { CustomerTotals, FindCustomerTotals } from './totals.ts';
