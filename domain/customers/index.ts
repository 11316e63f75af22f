export { CustomerBook, type Evidence, type KnownCustomers, type Said } from './customer-book.ts';
export { importCustomers } from './import-customers.ts';
export { searchCustomers } from './search-customers.ts';
export { openCustomers, saveCustomers } from './store.ts';
