import { reservedLimits } from '@tributary/vocabulary';
import { z } from 'zod';
import { type ErrorTable, reconnect } from './entry.ts';

const { readEventsWindow, numberRegistration, messagingWindow } = reservedLimits;

/**
 * Codes reserved for capabilities that no route of this version offers: e-mail, calendars, chat, media, audiences and a few
 * others. They are published so that they get no other meaning and callers can already handle them.
 */
export const reservedErrors = {
  invalid_content: {
    status: 400,
    title: 'Content refused',
    meaning: 'An uploaded part cannot be used: the file has no bytes, say, or the form has a part nobody asked for.',
    whatToDo: 'Check the file and the names of the form parts, then upload again.',
    retry: 'after_change',
    reserved: true,
  },
  account_suspended: {
    status: 403,
    title: 'Mailbox suspended',
    meaning: 'The e-mail provider has put a stop to the account behind this mailbox.',
    whatToDo:
      'Stop sending. The owner has to settle it with the provider; the first mail that goes through clears the flag.',
    retry: 'never',
    reserved: true,
  },
  auth_revoked: {
    status: 403,
    title: 'Mailbox consent is gone',
    meaning: 'We may no longer send from this mailbox: the consent was withdrawn, ran out, or never covered sending.',
    whatToDo: 'Have the owner connect the mailbox again and allow sending.',
    retry: 'after_change',
    fields: { ...reconnect, reconnect_required: z.literal(true) },
    reserved: true,
  },
  mailbox_disabled: {
    status: 403,
    title: 'No mailbox to send from',
    meaning: 'The connected account has no mailbox that works, or its mail is switched off.',
    whatToDo:
      'Stop sending. The account needs a working mailbox first; the next mail that goes through clears the flag.',
    retry: 'never',
    reserved: true,
  },
  quota_exceeded: {
    status: 429,
    title: 'Mailbox is at its limit',
    meaning:
      "The mailbox has filled its storage or sent all it may today, by its provider's count. Our own limits play no part.",
    whatToDo: 'Wait as long as Retry-After says, and free some space if the mailbox is full.',
    retry: 'after_retry_after',
    reserved: true,
  },
  recipient_rejected: {
    status: 422,
    title: 'Recipient refused',
    meaning: 'The e-mail provider does not deliver to this address. Other messages are not affected.',
    whatToDo: 'Correct the address, or leave this recipient out.',
    retry: 'after_change',
    reserved: true,
  },
  calendar_scope_required: {
    status: 403,
    title: 'Calendar permission missing',
    meaning: 'The calendar was connected without the permission that this needs.',
    whatToDo: 'Have the owner connect the calendar again and allow it.',
    retry: 'after_change',
    reserved: true,
  },
  calendar_unsupported: {
    status: 422,
    title: 'Not one of our calendars',
    meaning:
      'We only touch calendars that we look after, and this one, perhaps the main one of its owner, is not among them.',
    whatToDo: 'Use the id of a calendar that was created here.',
    retry: 'after_change',
    reserved: true,
  },
  provider_not_configured: {
    status: 501,
    title: 'Calendar provider is not set up',
    meaning: 'The operator has not registered an app with this calendar provider, so its calendars cannot be read.',
    whatToDo: 'Do not repeat the call. Ask the operator to set the provider up.',
    retry: 'never',
    reserved: true,
  },
  invalid_window: {
    status: 400,
    title: 'Window too wide',
    meaning: `Events can be read for at most ${readEventsWindow.maxDays} days at a time.`,
    whatToDo: 'Ask for shorter windows, one after the other.',
    retry: 'after_change',
    reserved: true,
  },
  media_expired: {
    status: 410,
    title: 'Media is gone',
    meaning: 'The file behind this id is no longer handed out. Ids that arrive with messages live for a week.',
    whatToDo: 'Fetch media when the message arrives and keep a copy. For this one, ask the sender again.',
    retry: 'never',
    reserved: true,
  },
  chatapp_register_limit: {
    status: 429,
    title: 'Number tried too often',
    meaning: `The chat provider lets one number be registered ${numberRegistration.maxAttempts} times within ${numberRegistration.perHours} hours, and that is used up. These are its words.`,
    whatToDo: `Leave the number alone until the ${numberRegistration.perHours} hours are over. Each early attempt is one wasted.`,
    retry: 'after_retry_after',
    reserved: true,
  },
  chatapp_payment_required: {
    status: 402,
    title: 'Chat account cannot pay',
    meaning: 'The chat business account has no means of payment, or its last charge did not go through.',
    whatToDo: 'Have its owner put the payment method in order at the chat provider, then send again.',
    retry: 'after_change',
    reserved: true,
  },
  messaging_window_closed: {
    status: 422,
    title: 'Too late to reply',
    meaning: `Too much time has gone by since the person last wrote: more than ${messagingWindow.hours} hours, or than ${messagingWindow.humanAgentDays} days when a human answers. No message left.`,
    whatToDo: 'Wait until the person writes again. If a human is answering, mark the message `human_agent: true`.',
    retry: 'after_change',
    reserved: true,
  },
  chatapp_service_window_expired: {
    status: 422,
    title: 'Free-form reply no longer possible',
    meaning: `The customer last wrote more than ${messagingWindow.hours} hours ago, and the chat provider now only takes prepared messages.`,
    whatToDo: 'Send an approved template or an interactive message.',
    retry: 'after_change',
    reserved: true,
  },
  chatapp_otp_relay_unavailable: {
    status: 503,
    title: 'One-time codes cannot be caught',
    meaning: 'The store that catches one-time codes during a number registration does not answer.',
    whatToDo: 'Try again with growing pauses.',
    retry: 'with_backoff',
    reserved: true,
  },
  audit_timeout: {
    status: 504,
    title: 'Scan took too long',
    meaning: 'A check of URL tags was asked for and ran out of time. The result of the last one is still there.',
    whatToDo: 'Use the last result, or try again later with growing pauses.',
    retry: 'with_backoff',
    reserved: true,
  },
  demo_purge_blocked: {
    status: 409,
    title: 'Demo cannot be purged',
    meaning: 'The archived demo profile holds audit evidence, which has to stay, so the profile stays too.',
    whatToDo: 'Leave it archived. Asking again gives the same answer.',
    retry: 'never',
    reserved: true,
  },
  audience_tos_required: {
    status: 428,
    title: 'Audience terms not accepted',
    meaning: 'As far as the ad platform knows, nobody accepted its terms for custom audiences on this ad account.',
    whatToDo: 'Have the advertiser accept them on the platform, then confirm once more.',
    retry: 'after_change',
    reserved: true,
  },
} as const satisfies ErrorTable;
