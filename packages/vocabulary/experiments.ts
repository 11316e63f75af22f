import { namesOf } from './names-of.ts';

/** How incrementality is measured. */
export const experimentKinds = {
  regions: 'The ads are switched off in half of the regions, by lot.',
  external: 'Somebody else measured it: a platform’s own study, another tool.',
} as const;
export type ExperimentKind = keyof typeof experimentKinds;
export const experimentKindNames = namesOf(experimentKinds);

/**
 * A draft has assigned regions and a computed power. A running experiment shows no results. An ended one has been
 * evaluated; a void one never will be.
 */
export const experimentStates = ['draft', 'running', 'ended', 'void'] as const;
export type ExperimentState = (typeof experimentStates)[number];

/** Why an operation on an experiment is rejected. */
export const experimentRefusals = {
  too_few_regions: 'Too few regions have purchases to draw lots among.',
  underpowered: 'The test could not notice an effect as small as the expected one.',
  overlapping: 'Another test is running in the same regions.',
  begun: 'Its days have begun already. Plan it anew: whoever starts it now could choose by what came of them.',
  not_over: 'Its days are not over yet, and nobody looks before.',
  nothing_bought:
    'On one side of the lots nothing was bought, before the test or during it: there is nothing to compare.',
  wrong_state: 'It is not in the state that this needs.',
} as const;
export type ExperimentRefusal = keyof typeof experimentRefusals;
export const experimentRefusalNames = namesOf(experimentRefusals);

/** Whether a test can detect the expected effect. */
export const powerVerdicts = ['enough', 'not_enough'] as const;
export type PowerVerdict = (typeof powerVerdicts)[number];
