export { createProfile } from './create-profile.ts';
export { createWorkspace } from './create-workspace.ts';
export { deleteTenant } from './delete-tenant.job.ts';
export { deleteProfile, deleteWorkspace } from './delete-tenant.ts';
export { readPiiAccessLog } from './read-pii-access-log.ts';
export { readProfile } from './read-profile.ts';
export { updateEntitlement } from './update-entitlement.ts';
