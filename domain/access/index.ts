export { acceptInvitation } from './accounts/accept-invitation.ts';
export { type Accounts, createAccounts } from './accounts/accounts.ts';
export { createInvitation } from './accounts/create-invitation.ts';
export { deleteAssistant } from './accounts/delete-assistant.ts';
export { deleteInvitation } from './accounts/delete-invitation.ts';
export { deleteMember } from './accounts/delete-member.ts';
export { hashToken } from './accounts/hashed-sessions.ts';
export { listAssistants } from './accounts/list-assistants.ts';
export { listInvitations } from './accounts/list-invitations.ts';
export { listMembers } from './accounts/list-members.ts';
export { mcpAuthenticator } from './accounts/mcp-token.ts';
export { findMemberships, type Membership } from './accounts/memberships.ts';
export { type OAuthEndpoint, type OAuthOptions, oauthEndpoints } from './accounts/oauth.ts';
export { addMember, createUser, listUsers, type OperatorTools, resetPassword } from './accounts/operator.ts';
export { createPasswords, type Passwords } from './accounts/passwords.ts';
export { readAccount } from './accounts/read-account.ts';
export { sessionAuthenticator } from './accounts/session.ts';
export { signIn } from './accounts/sign-in.ts';
export { signOut } from './accounts/sign-out.ts';
export { updateMember } from './accounts/update-member.ts';
export { updatePassword } from './accounts/update-password.ts';
export { type AppRegistration, disableApp, listApps, registerApp, resetAppSecret } from './apps.ts';
export { audit } from './audit.ts';
export { refusalAuditor } from './audit-refusal.ts';
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
export { ensureKeys, loadKeys, retireKeys, rewrapKeys, rotateKey } from './key-ring.ts';
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
export { pruneAccessLog } from './prune-access-log.job.ts';
export { readPiiAccessLog } from './read-pii-access-log.ts';
export { readProfile } from './read-profile.ts';
export { hashSecret, isWellFormedSecret, mintSecret } from './secret.ts';
export { updateEntitlement } from './update-entitlement.ts';
export { updateGrant } from './update-grant.ts';
export { verifyAudit } from './verify-audit.ts';
