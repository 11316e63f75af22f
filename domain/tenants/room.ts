export { createProfile, createProfileByOperator } from './create-profile.ts';
export { type AddOwner, createWorkspace, createWorkspaceByOperator } from './create-workspace.ts';
export { deleteTenant } from './delete-tenant.job.ts';
export {
  archiveProfileByOperator,
  archiveWorkspaceByOperator,
  deleteProfile,
  deleteWorkspace,
} from './delete-tenant.ts';
export { setPrivacyByOperator, updatePrivacy } from './privacy.ts';
export { findProfile } from './profile-facts.ts';
export { readProfile } from './read-profile.ts';
export type { ReadinessStep } from './readiness.ts';
export { listProfiles, listWorkspaces } from './store.ts';
export { updateEntitlement } from './update-entitlement.ts';
