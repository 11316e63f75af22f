export { type AppRegistration, disableApp, listApps, registerApp, resetAppSecret } from './apps.ts';
export { bearerAuthenticator } from './authenticate.ts';
export { createKey } from './create-key.ts';
export { createToken } from './create-token.ts';
export { deleteKey } from './delete-key.ts';
export { CredentialFinder } from './find-credentials.ts';
export { KeyUse } from './key-use.ts';
export { listKeys } from './list-keys.ts';
export {
  archiveByOperator,
  createKeyByOperator,
  createProfileByOperator,
  createWorkspaceByOperator,
  grantByOperator,
  listKeysOfProfile,
  listProfiles,
  listWorkspaces,
  revokeKeyByOperator,
} from './operator.ts';
export { hashSecret, isWellFormedSecret, mintSecret } from './secret.ts';
export { updateGrant } from './update-grant.ts';
