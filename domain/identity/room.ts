export { listMerges } from './list-merges.ts';
export { readCustomerIdentity } from './read-customer-identity.ts';
export { splitCustomer } from './split-customer.ts';
export { undoMerge } from './undo-merge.ts';
