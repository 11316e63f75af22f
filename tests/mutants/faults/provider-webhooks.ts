import { type Fault, faultsIn } from '../fault.ts';

const whole = ['apps/provider-webhooks/provider-webhooks.test.ts'];
const budgets = ['apps/provider-webhooks/budgets.test.ts'];
const room = 'domain/connections/provider-webhooks';

/** Of webhooks that providers send, on their way into the ledger. */
export const faults: readonly Fault[] = [
  ...faultsIn('apps/provider-webhooks/take-webhook.ts', whole, {
    'forged-webhook-is-stored': [
      "  if (verdict === 'unsigned') throw wrongSignature();\n",
      '',
      'whoever guesses an address fills the stream',
    ],
    'unverified-among-the-verified': [
      "verdict === 'signed' ? intake.stream.webhooks : intake.stream.unverifiedWebhooks",
      'intake.stream.webhooks',
      'webhooks that nobody could verify take the room of the others',
    ],
  }),
  ...faultsIn('apps/provider-webhooks/take-webhook.ts', budgets, {
    'unverified-without-a-quota': [
      "  if (verdict === 'unknown') await takeOfUnverified(",
      '  if (verdict === undefined) await takeOfUnverified(',
      'one address fills the stream while PostgreSQL is away',
    ],
    'account-without-a-budget': [
      "  if (verdict === 'signed') takeOfSource(",
      '  if (verdict === undefined) takeOfSource(',
      'one store takes all there is',
    ],
  }),
  ...faultsIn(`${room}/apply.ts`, whole, {
    'signature-of-the-wrong-time': [
      'verify(delivery, receivedAt)',
      'verify(delivery, now)',
      'what was signed for five minutes is dropped after an outage of ten',
    ],
  }),
  ...faultsIn(`${room}/message.ts`, [`${room}/letters.test.ts`], {
    'webhook-of-another-time': [
      "column: `webhooks ${headers.Channel} ${headers['Received-At']}`",
      'column: `webhooks ${headers.Channel}`',
      'whoever writes to the stream makes an old webhook a new one',
    ],
  }),
  ...faultsIn(`${room}/letters.ts`, [`${room}/letters.test.ts`], {
    'letters-of-others-forgotten': [
      "headers[profilesHeader]?.split(' ').includes(profileId) ?? true",
      'headers[profilesHeader] !== profileId',
      'an erasure of one profile deletes what another has still to record',
    ],
  }),
  ...faultsIn('packages/stream/streams.ts', ['packages/stream/work-stream.test.ts'], {
    'handled-webhooks-stay': [
      '      retention: RetentionPolicy.Workqueue,\n',
      '',
      'the stream is full of what was applied long ago',
    ],
  }),
];
