export { importCustomers } from './import-customers.ts';
export { searchCustomers } from './search-customers.ts';
