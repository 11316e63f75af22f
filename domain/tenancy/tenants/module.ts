export { archiveProfile, restoreProfile } from './archive-profile.ts';
export { createProfile, createProfileByOperator } from './create-profile.ts';
export { type AddOwner, createWorkspace, createWorkspaceByOperator, type InviteOwner } from './create-workspace.ts';
export {
  archiveProfileByOperator,
  archiveWorkspaceByOperator,
  deleteProfile,
  deleteWorkspace,
} from './delete-tenant.ts';
export { type DeletionStores, untilEmptied } from './delete-tenant-step.ts';
export { type DeletionStatus, listDeletionStatus } from './deletion-store.ts';
export { tenantDeletions } from './deletions.queue.ts';
export { listWorkspaceProfiles } from './list-workspace-profiles.ts';
export { setPrivacyByOperator, updatePrivacy } from './privacy.ts';
export { findProfile } from './profile-facts.ts';
export { readProfile } from './read-profile.ts';
export type { ReadinessStep } from './readiness.ts';
export { recordMove } from './record-move.ts';
export { listDeletedWorkspaces, restoreWorkspace } from './restore-workspace.ts';
export { setPlanByOperator } from './set-plan.ts';
export type { StepUp } from './step-up.ts';
export { findNextProfile, listProfiles, listWorkspaces } from './store.ts';
export { updateEntitlement } from './update-entitlement.ts';
export { updateProfile, updateProfileByOperator } from './update-profile.ts';
