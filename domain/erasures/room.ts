export { createCustomerErasure } from './create-customer-erasure.ts';
export { createErasure } from './create-erasure.ts';
export { type ErasureServices, eraseCustomer } from './erase-customer.ts';
export { type ErasureStores, erasures } from './erasures.queue.ts';
export { listErasures } from './list-erasures.ts';
export { readErasure } from './read-erasure.ts';
export { sealedReceipts } from './receipt.ts';
export { signCertificate, verifyErasure } from './verify-erasure.ts';
