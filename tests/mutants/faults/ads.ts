import { type Fault, faultsIn } from '../fault.ts';

const changes = ['domain/advertising/ad-operations/change-status.test.ts'];

/** Of changes at ad platforms, and of what a model says of creatives. */
export const faults: readonly Fault[] = [
  ...faultsIn('domain/advertising/ad-operations/failures.ts', changes, {
    'lost-answer-taken-for-none': [
      "error.details.verdict !== 'wait' || error.details.mayHaveHappened === false",
      'error.details.verdict.length > 0',
      'a change whose answer was lost is said not to have happened',
    ],
  }),
  ...faultsIn('domain/advertising/ad-operations/run-ad-action.ts', changes, {
    'change-looked-up-too-soon': [
      'new Date(clock().getTime() + settleAfter * adPatienceMs)',
      'new Date(clock().getTime() - adPatienceMs)',
      'a change that is still on its way is said not to have happened, and is made twice',
    ],
  }),
  ...faultsIn('domain/advertising/ad-operations/settle.ts', changes, {
    'change-that-never-came-believed': [
      "if (!matches(found, action.wanted)) return { stage: 'failed', reason: 'not_applied' };",
      '',
      'a change that never arrived is said to have been applied',
    ],
  }),
  ...faultsIn(
    'domain/advertising/ad-operations/budget.ts',
    ['domain/advertising/ad-operations/update-ad-set-budget.test.ts'],
    {
      'budget-step-exclusive': ['step * 100n > current', 'step * 100n >= current', 'exactly half is refused'],
    },
  ),
  ...faultsIn('domain/advertising/creatives/creative.ts', ['domain/advertising/creatives'], {
    'creative-looked-at-for-ever': [
      'JSON.stringify([model, creative])',
      'JSON.stringify([model])',
      'a new creative is taken for the old one',
    ],
  }),
];
