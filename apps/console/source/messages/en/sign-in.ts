import type { Shown } from '../shown.ts';

/** The pages of a visitor who is not signed in. */
export const signIn = {
  forgot: {
    link: 'Forgot your password?',
    title: 'Reset your password',
    about: 'Enter your e-mail address. You receive a link to choose a new password.',
    send: 'Send reset link',
    sent: 'If this address has an account, a reset link is on its way. It works for one hour. Check your spam folder too.',
    noMail: 'This server sends no e-mail. Ask its operator to reset your password with this command:',
    back: 'Back to sign-in',
    choose: 'Choose a new password',
    newPassword: 'New password',
    save: 'Save password',
    saved: 'Your password is changed, and all your sessions have ended. Sign in with the new password.',
    invalid: 'This reset link has expired or was used.',
    again: 'Request a new link',
  },
  invitation: {
    title: 'Join a workspace',
    join: (workspace: Shown) => `Join ${workspace}`,
    by: (inviter: Shown, role: Shown) => `${inviter} invited you as ${role}.`,
    as: (role: Shown) => `You are invited as ${role}.`,
    until: (day: Shown) => `The invitation expires on ${day}.`,
    yourName: 'Your name',
    password: 'Password',
    create: 'Create account and join',
    signedInAs: (email: Shown) => `You are signed in as ${email}.`,
    accept: 'Join workspace',
    otherAccount: 'Use another account',
    haveAccount: 'I have an account: sign in',
    forOther: (email: Shown) =>
      `This invitation is for ${email}. Sign in with that address, or ask for a new invitation.`,
    missing: 'This invitation link is incomplete',
    missingAbout: 'Copy the whole link, or ask for a new invitation.',
    over: 'This invitation cannot be used',
    reasons: {
      expired: 'It has expired. Ask for a new invitation.',
      accepted: 'It was already accepted. If that was you, sign in.',
      revoked: 'It was revoked. Ask for a new invitation.',
      archived: 'Its workspace was closed.',
      already_member: 'You are already a member of this workspace.',
      account_exists: 'This address has an account. Sign in to accept the invitation.',
    },
    signIn: 'Sign in',
  },
};
