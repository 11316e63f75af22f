import type { Shown } from '../shown.ts';

export const ads = {
  ads: {
    picture: (name: Shown) => `Picture of ${name}`,
    what: (kind: Shown, level: Shown) => `${kind} ${level}`,
    withRunning: (number: number, shown: Shown) => `, with ${shown} running ${number === 1 ? 'ad' : 'ads'}`,
    about:
      'Every change that was made at ad platforms from here, with what was before and after. A change is first tried with nothing sent.',
    nothingChanged: 'Nothing was changed yet',
    openBefore: 'Open',
    openAfter: 'and press Pause beside one: you see what would happen before anything does.',
    caption: 'Changes at ad platforms, newest first',
    change: 'Change',
    by: (who: Shown) => `by ${who}`,
    takenBack: (state: Shown) => `Taken back: ${state}.`,
    changed: (name: Shown, before: Shown, after: Shown) => `${name}: ${before} before, ${after} now.`,
    tried: (name: Shown, before: Shown, after: Shown) =>
      `Tried without sending anything: ${name} would go from ${before} to ${after}`,
    mayRestart: 'The platform may begin to learn anew afterwards.',
    pauseNow: 'Pause now',
    resumeNow: 'Resume now',
    aDay: (amount: Shown) => `${amount} a day`,
    undoByApi: 'This change is taken back through the API.',
  },
  budget: {
    change: 'Change budget',
    changeOf: (name: Shown) => `Change budget of ${name}`,
    of: (name: Shown) => `Daily budget of ${name}`,
    current: 'Current budget',
    advised: 'Advised budget',
    new: (currency: Shown) => `New daily budget, ${currency}`,
    perDay: (amount: Shown) => `${amount} per day`,
    dryRun: 'Preview change',
    bounds: (least: Shown, most: Shown) => `One change can set ${least} to ${most}.`,
    tried: (name: Shown, before: Shown, after: Shown) =>
      `Dry run, nothing is changed yet: ${name} would go from ${before} to ${after}.`,
    noChange: 'This is the current budget: there is nothing to change.',
    apply: 'Apply change',
    applied: (name: Shown, before: Shown, after: Shown) => `${name} went from ${before} to ${after}.`,
    undone: (name: Shown, budget: Shown) => `Undone: ${name} is back at ${budget}.`,
    onCampaign: 'The campaign holds the budget of this ad set.',
    onAdSets: 'This campaign has no daily budget of its own. Its ad sets have:',
    none: 'No daily budget that can be changed from here was found. Change it at the platform.',
  },
  exports: {
    about:
      'What ad platforms are told of your outcomes, so that they look for more like them. Each outcome is told once, under one id.',
    nothing: 'Nothing was told yet',
    connectFirst: 'Connect an ad account, then say which outcomes it is told:',
    caption: 'Runs of exports, newest first',
    run: 'Run',
    next: 'What the next run would send',
    dryRun: 'A dry run: nothing is sent.',
    nothingWaits: 'Nothing waits to be told.',
    hashed: (fields: Shown) => `, with ${fields} hashed`,
  },
};
