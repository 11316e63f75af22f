import type { adviceReasons, EstimatingModel, estimateRefusals } from '@tributary/vocabulary';
import type { Shown } from '../shown.ts';

export const causes = {
  causes: {
    about:
      'Attribution says which touches came before a sale. These models learn from your own visits and sales what ads caused, and what would have come anyway.',
    models: {
      data_driven: 'Credit passes from a visit to what led to it. What nothing led to would have come anyway.',
      markov: 'By what is lost when a source leads nowhere, in a chain from touch to touch.',
      shapley: 'By what a source adds to every set of the others that people met.',
      calibrated:
        'Data driven, moved by what your experiments measured. Its intervals are of the truth, not of chance.',
    } satisfies Record<EstimatingModel, string>,
    refusals: {
      too_thin: 'There are too few purchases to learn from.',
      too_little_seen: 'Too little of what was bought has any known touch.',
      no_fit: 'The models have not learned from this profile yet. Press “Learn now”.',
      stale: 'What they learned is too old. Press “Learn now”.',
      outside_fit: 'They have credited other days. Choose days above that lie within them.',
      no_test:
        'No experiment on your campaigns ended in the last 180 days at about the spend of today. Plan one under Experiments.',
    } satisfies Record<(typeof estimateRefusals)[number], string>,
    noFigure: 'There is no figure, and none is made up',
    fit: 'How the models stand',
    fitted: (ago: Shown, purchases: Shown, people: Shown, seen: Shown) =>
      `Learned ${ago} from ${people} people and ${purchases} purchases; ${seen} of their value has a known touch.`,
    fitNow: 'Learn now',
    caused: 'What ads caused',
    causedRevenue: 'Caused revenue',
    interval: '90% interval',
    intervalAbout: 'How far chance could move the figure if the model were right. It says nothing of the truth.',
    calibratedAbout: 'Where the truth lies in 9 of 10 cases, as far as experiments can tell.',
    tested: 'Tested',
    testedAbout: 'An experiment measured it.',
    tactic: 'Tactic',
    tacticAbout: 'What the campaign is taken to do. Campaigns of one tactic learn from each other’s experiments.',
    disagree: 'Models disagree',
    disagreeAbout: 'This model, first touch and last touch differ by more than three times. An experiment would tell.',
    toAds: 'Caused by ads of this level',
    toOthers: 'Caused by other sources',
    anyway: 'Would have come anyway',
    withoutTouch: 'Of buyers without a known touch',
    allBought: 'All that was bought',
    howWrong: 'How wrong the models are',
    howWrongAbout: (day: Shown, people: Shown) =>
      `Measured on ${day} in simulated markets of ${people} people, in which it is known what ads caused. 0 is the truth; 1 is as far off as saying that ads caused nothing.`,
    unseen: 'Error',
    toLastTouch: 'Against last touch',
    worst: 'In the worst market',
  },
  advice: {
    title: 'Which budgets to change',
    about:
      'Only campaigns of which it is at least 80% sure that they bring more, or less, than they cost. Nothing changes until you apply it.',
    margin: 'Margin, %',
    ask: 'Show advice',
    none: 'No advice',
    reasons: {
      too_thin: 'There are too few purchases to learn from.',
      too_little_seen: 'Too little of what was bought has any known touch.',
      no_fit: 'The models have not learned from this profile yet. Press “Learn now”.',
      stale: 'What they learned is too old. Press “Learn now”.',
      outside_fit: 'They have credited other days.',
      no_test: 'No experiment says anything of your campaigns.',
      nothing_spent: 'No campaign that the models know cost anything in the last days.',
      nothing_sure: 'Of no campaign is it sure enough. An experiment would tell.',
    } satisfies Record<(typeof adviceReasons)[number], string>,
    raise: (step: Shown) => `Raise by ${step}`,
    lower: (step: Shown) => `Lower by ${step}`,
    sure: (chance: Shown) => `${chance} sure`,
    because: (low: Shown, high: Shown, needed: Shown, spend: Shown) =>
      `It cost ${spend} and caused between ${low} and ${high}; it pays from ${needed} on.`,
    noRequest: 'Your role cannot change budgets.',
  },
  experiments: {
    about: 'The way to know what a campaign causes: switch it off in half of the regions, by lot, and compare.',
    none: 'No experiment yet',
    noneAbout: 'Plan one above. A test that could not notice what you expect is refused before it costs anything.',
    plan: 'Plan an experiment',
    planAbout:
      'Regions with purchases are paired by size and one of each pair is held out by lot. You switch the campaign off there for 28 days; a week later it can be read, and not before.',
    campaign: 'Campaign',
    choose: 'Choose one',
    expected: 'Expected effect, %',
    planIt: 'Plan it',
    between: (kind: Shown, from: Shown, to: Shown) => `${kind}, ${from} to ${to}.`,
    readableFrom: (day: Shown) => `The result can be read from ${day}.`,
    tested: (names: Shown) => `Campaign: ${names}`,
    offIn: (regions: Shown) => `Off in: ${regions}`,
    power: (smallest: Shown, expected: Shown) =>
      `It would notice an effect of ${smallest} in four of five cases; ${expected} is expected.`,
    found: (lift: Shown, low: Shown, high: Shown) => `Lift ${lift}, 90% interval ${low} to ${high}`,
    start: 'Start',
    read: 'End and read',
    giveUp: 'Cancel experiment',
    giveUpAsk: (name: Shown) => `Cancel ${name}?`,
    whyGiveUp: 'Reason',
  },
};
