import { type Fault, faultsIn } from '../fault.ts';

const tests = ['domain/notifications/webhooks/rules.test.ts'];

/** Of what subscribers are told, and when. */
export const faults: readonly Fault[] = [
  ...faultsIn('domain/notifications/webhooks/delivery/schedule.ts', tests, {
    'receiver-asked-too-soon': [
      'Math.max(withJitter(wait, random), Math.min(retryAfterSeconds, maxRetryAfterSeconds))',
      'withJitter(wait, random)',
      'a receiver that asks for time is sent the event again sooner',
    ],
    'receiver-asks-for-ever': [
      'Math.min(retryAfterSeconds, maxRetryAfterSeconds)',
      'retryAfterSeconds',
      'a receiver that asks for a year is never asked again',
    ],
  }),
  ...faultsIn('domain/notifications/webhooks/delivery/signature.ts', tests, {
    'event-time-not-signed': [
      'const signed = `${id}.${timestamp}.${body}`;',
      'const signed = `${id}.${body}`;',
      'no receiver can verify, or an old event can be sent again as a new one',
    ],
  }),
];
