import { type Fault, faultsIn } from '../fault.ts';

const tests = ['domain/notifications/webhooks/rules.test.ts'];

/** Faults in webhook deliveries to subscribers. */
export const faults: readonly Fault[] = [
  ...faultsIn('domain/notifications/webhooks/delivery/schedule.ts', tests, {
    'receiver-asked-too-soon': [
      'Math.max(withJitter(wait, random), Math.min(retryAfterSeconds, maxRetryAfterSeconds))',
      'withJitter(wait, random)',
      "an event is sent again sooner than the receiver's Retry-After",
    ],
    'receiver-asks-for-ever': [
      'Math.min(retryAfterSeconds, maxRetryAfterSeconds)',
      'retryAfterSeconds',
      'a receiver with a Retry-After of a year gets no further delivery',
    ],
  }),
  ...faultsIn('domain/notifications/webhooks/delivery/signature.ts', tests, {
    'event-time-not-signed': [
      'const signed = `${id}.${timestamp}.${body}`;',
      'const signed = `${id}.${body}`;',
      'receivers cannot verify a delivery, or an old event can be replayed as new',
    ],
  }),
];
