export { sealedCapabilities } from './capability.ts';
export { createHandoff } from './create-handoff.ts';
export { expireHandoffs } from './expire-handoffs.job.ts';
export { finalizePendingAccount } from './finalize-pending-account.ts';
export { listPendingAccounts } from './list-pending-accounts.ts';
export { handoffPages } from './pages.ts';
export { sealedParked } from './parked.ts';
export { readHandoff } from './read-handoff.ts';
export type { HandoffServices } from './services.ts';
