export { acceptInvitation } from './accept-invitation.ts';
export { type Accounts, createAccounts } from './accounts.ts';
export { assertPassword } from './assert-password.ts';
export { beginPasskey } from './begin-passkey.ts';
export { beginPasskeySignIn } from './begin-passkey-sign-in.ts';
export { completePasswordReset } from './complete-password-reset.ts';
export { completeSignIn } from './complete-sign-in.ts';
export { confirmTwoFactor } from './confirm-two-factor.ts';
export { createInvitation } from './create-invitation.ts';
export { createPasskey } from './create-passkey.ts';
export { createTwoFactor } from './create-two-factor.ts';
export { deleteAssistant } from './delete-assistant.ts';
export { forgetUnallowedClients } from './delete-clients.ts';
export { deleteInvitation } from './delete-invitation.ts';
export { deleteMember, type MemberServices } from './delete-member.ts';
export { deletePasskey } from './delete-passkey.ts';
export { deleteSession } from './delete-session.ts';
export { disableTwoFactor } from './disable-two-factor.ts';
export {
  createFirstAccountCheck,
  firstAccountEndpoints,
  firstAccountPath,
  openFirstAccount,
} from './first-account.ts';
export { hashToken } from './hashed-sessions.ts';
export { inviteOwner } from './invite-owner.ts';
export { listAssistants } from './list-assistants.ts';
export { listCreatedByMember } from './list-created-by-member.ts';
export { listInvitations } from './list-invitations.ts';
export { listMembers } from './list-members.ts';
export { listPasskeys } from './list-passkeys.ts';
export { listSessions } from './list-sessions.ts';
export { mcpAuthenticator } from './mcp-token.ts';
export { addOwner } from './member.ts';
export { type OAuthOptions, oauthEndpoints } from './oauth.ts';
export { addMember, createUser, listUsers, type OperatorTools, resetPassword } from './operator.ts';
export { createPasswords, type Passwords } from './passwords.ts';
export { readAccount } from './read-account.ts';
export { readInvitation } from './read-invitation.ts';
export { requestPasswordReset } from './request-password-reset.ts';
export { sendPasswordReset } from './send-password-reset.job.ts';
export { sessionAuthenticator, sessionUse } from './session.ts';
export { signIn } from './sign-in.ts';
export { signInWithPasskey } from './sign-in-with-passkey.ts';
export { signOut } from './sign-out.ts';
export { updateMember } from './update-member.ts';
export { updatePassword } from './update-password.ts';
