import { type Fault, faultsIn } from '../fault.ts';

const whole = ['apps/provider-webhooks/provider-webhooks.test.ts'];
const rateLimits = ['apps/provider-webhooks/rate-limits.test.ts'];
const folder = 'domain/advertising/connections/provider-webhooks';

/** Faults in receiving and applying provider webhooks. */
export const faults: readonly Fault[] = [
  ...faultsIn('apps/provider-webhooks/store-webhook.ts', whole, {
    'forged-webhook-is-stored': [
      "  if (verdict === 'invalid') throw wrongSignature();\n",
      '',
      'forged webhooks fill the stream',
    ],
    'unverified-among-the-verified': [
      "verdict === 'verified' ? store.stream.webhooks : store.stream.unverifiedWebhooks",
      'store.stream.webhooks',
      'unverified webhooks displace verified ones',
    ],
  }),
  ...faultsIn('apps/provider-webhooks/store-webhook.ts', rateLimits, {
    'unverified-without-a-quota': [
      "  if (verdict === 'unverified') await chargeUnverified(",
      '  if (verdict === undefined) await chargeUnverified(',
      'one address fills the stream while PostgreSQL is unavailable',
    ],
    'account-without-a-limit': [
      "  if (verdict === 'verified') chargeSource(",
      '  if (verdict === undefined) chargeSource(',
      'one store uses the whole capacity',
    ],
  }),
  ...faultsIn(`${folder}/apply.ts`, whole, {
    'signature-of-the-wrong-time': [
      'verify(delivery, receivedAt)',
      'verify(delivery, now)',
      'a signature valid for five minutes is rejected after an outage of ten',
    ],
  }),
  ...faultsIn(`${folder}/message.ts`, [`${folder}/dead-letters.test.ts`], {
    'webhook-of-another-time': [
      "column: `webhooks ${headers.Channel} ${headers['Received-At']}`",
      'column: `webhooks ${headers.Channel}`',
      'a webhook in the stream can be replayed with a newer time',
    ],
  }),
  ...faultsIn(`${folder}/dead-letters.ts`, [`${folder}/dead-letters.test.ts`], {
    'dead-letters-of-other-profiles-erased': [
      "headers[profilesHeader]?.split(' ').includes(profileId) ?? true",
      'headers[profilesHeader] !== profileId',
      'an erasure in one profile deletes dead letters that another profile still needs',
    ],
  }),
  ...faultsIn('packages/stream/streams.ts', ['packages/stream/work-stream.test.ts'], {
    'processed-webhooks-stay': [
      '      retention: RetentionPolicy.Workqueue,\n',
      '',
      'the stream fills with webhooks that were applied',
    ],
  }),
];
