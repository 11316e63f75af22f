export { confirmMergeProposal } from './confirm-merge-proposal.ts';
export { listMergeProposals } from './list-merge-proposals.ts';
export { listMerges } from './list-merges.ts';
export { readCustomerIdentity } from './read-customer-identity.ts';
export { rejectMergeProposal } from './reject-merge-proposal.ts';
export { splitCustomer } from './split-customer.ts';
export { undoMerge } from './undo-merge.ts';
