export { type AppRegistration, disableApp, listApps, registerApp, resetAppSecret } from './apps.ts';
export { bearerAuthenticator } from './authenticate.ts';
export { createKey } from './create-key.ts';
export { createProfile } from './create-profile.ts';
export { createToken } from './create-token.ts';
export { createWorkspace } from './create-workspace.ts';
export { deleteKey } from './delete-key.ts';
export { deleteTenant } from './delete-tenant.job.ts';
export { deleteProfile, deleteWorkspace } from './delete-tenant.ts';
export { CredentialFinder } from './find-credentials.ts';
export { forgetExpired } from './forget-expired.job.ts';
export { listKeys } from './list-keys.ts';
export {
  createKeyByOperator,
  createProfileByOperator,
  createWorkspaceByOperator,
  grantByOperator,
  listKeysOfProfile,
  listProfiles,
  listWorkspaces,
  revokeKeyByOperator,
} from './operator.ts';
export { pruneAccessLog } from './prune-access-log.job.ts';
export { readPiiAccessLog } from './read-pii-access-log.ts';
export { readProfile } from './read-profile.ts';
export { hashSecret, isWellFormedSecret, mintSecret } from './secret.ts';
export { updateEntitlement } from './update-entitlement.ts';
export { updateGrant } from './update-grant.ts';
export { verifyAudit } from './verify-audit.ts';
