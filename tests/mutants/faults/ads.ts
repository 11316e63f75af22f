import { type Fault, faultsIn } from '../fault.ts';

const changes = ['domain/advertising/ad-operations/change-status.test.ts'];

/** Faults in changes at ad platforms and in the analysis of creatives. */
export const faults: readonly Fault[] = [
  ...faultsIn('domain/advertising/ad-operations/failures.ts', changes, {
    'lost-answer-taken-for-none': [
      "error.details.verdict !== 'wait' || error.details.mayHaveHappened === false",
      'error.details.verdict.length > 0',
      'a change whose response was lost is reported as not made',
    ],
  }),
  ...faultsIn('domain/advertising/ad-operations/run-ad-action.ts', changes, {
    'change-looked-up-too-soon': [
      'new Date(clock().getTime() + settleAfter * adPatienceMs)',
      'new Date(clock().getTime() - adPatienceMs)',
      'a change still in progress is reported as not made, and is made twice',
    ],
  }),
  ...faultsIn('domain/advertising/ad-operations/settle.ts', changes, {
    'change-that-never-came-believed': [
      "if (!matches(found, action.wanted)) return { stage: 'failed', reason: 'not_applied' };",
      '',
      'a change that the platform never applied is reported as applied',
    ],
  }),
  ...faultsIn(
    'domain/advertising/ad-operations/budget.ts',
    ['domain/advertising/ad-operations/update-ad-set-budget.test.ts'],
    {
      'budget-step-exclusive': [
        'step * 100n > current',
        'step * 100n >= current',
        'a budget change of exactly half is rejected',
      ],
    },
  ),
  ...faultsIn('domain/advertising/creatives/creative.ts', ['domain/advertising/creatives'], {
    'creative-looked-at-for-ever': [
      'JSON.stringify([model, creative])',
      'JSON.stringify([model])',
      'a replaced creative keeps the analysis of the old one',
    ],
  }),
];
