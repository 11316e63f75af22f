export { createCustomerErasure } from './create-customer-erasure.ts';
export { createErasure } from './create-erasure.ts';
export { type ErasedAgain, eraseAgain } from './erase-again.ts';
export { type ErasureServices, eraseCustomer } from './erase-customer.ts';
export type { ErasureNote } from './erasure-note.ts';
export { type ErasureStores, erasures } from './erasures.queue.ts';
export { readErasure } from './read-erasure.ts';
export { sealedReceipts } from './receipt.ts';
export { signCertificate, verifyErasure } from './verify-erasure.ts';
