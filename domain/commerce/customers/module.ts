export type { CustomerListServices } from './goal-reader.ts';
export { importCustomers, openCustomerImporter } from './import-customers.ts';
export { listCustomers } from './list-customers.ts';
export { searchCustomers } from './search-customers.ts';
export { listSuspects } from './suspects.ts';
export { type Tombstones, tombstonesUnder } from './tombstones.ts';
