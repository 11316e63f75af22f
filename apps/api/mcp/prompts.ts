/** A question that marketers ask, with instructions for answering it with our tools. */
export interface Prompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: readonly (keyof typeof promptArguments)[];
  /** The instruction for the assistant. `{days}` and the like are replaced by the arguments. */
  readonly text: string;
}

export const promptArguments = {
  days: { description: 'How many days back, up to yesterday. 28 when absent.', fallback: '28' },
  model: { description: 'The attribution model. last_touch when absent.', fallback: 'last_touch' },
  subject: { description: 'The campaign, ad or figure that is meant, in your own words.', fallback: 'the largest one' },
} as const;

const closingInstructions =
  'Name the days, the model and the currency. Quote figures as the tools give them, never computed from memory; where meta.exclusions or freshness ' +
  'says that something is missing, say so. End with the one thing that you would do next.';

export const prompts: readonly Prompt[] = [
  {
    name: 'which_ads_earned_money',
    title: 'Which ads earned money?',
    description: 'The campaigns and ads that returned more than they cost, and those that did not.',
    arguments: ['days', 'model'],
    text: 'Which campaigns and ads earned money in the last {days} days under {model}, and which lost it? Use list_campaigns at the level of campaigns, then at the level of ads inside the best and the worst. Give a table of spend, revenue, ROAS and cost per payment.',
  },
  {
    name: 'what_changed',
    title: 'What changed against the days before?',
    description: 'Two periods of the same length side by side, and what made the difference.',
    arguments: ['days', 'model'],
    text: 'Compare the last {days} days with the {days} days before, under {model}. Use read_overview for both, then list_campaigns for both, and name the three campaigns that explain most of the difference in revenue.',
  },
  {
    name: 'why_is_this_number_so',
    title: 'Why is this number what it is?',
    description: 'One figure taken apart into the payments and visits that it is made of.',
    arguments: ['days', 'model', 'subject'],
    text: 'Explain how {subject} in the last {days} days under {model} comes about. Use list_campaigns or read_overview to find it, then explain for its parts. Show the largest payments in it with the share that was credited and why.',
  },
  {
    name: 'why_did_a_number_change',
    title: 'Why did yesterday’s number change?',
    description: 'What was added, corrected or merged since a report was read before.',
    arguments: ['days', 'subject'],
    text: 'A figure for {subject} is not what it was when we last looked. Use read_changes over the last {days} days to find what changed it and list_change_rows for the conversions concerned. Tell late payments, refunds, merged customers and re-synced spend apart.',
  },
  {
    name: 'do_platforms_overclaim',
    title: 'Do the ad platforms claim too much?',
    description: 'What platforms say they sold against what was paid and credited.',
    arguments: ['days', 'model'],
    text: 'For the last {days} days under {model}, compare what each ad platform claims with what we credit. Use read_platform_comparison. Compare payments with claims and not other kinds of outcome, and say for which days both sides are known.',
  },
  {
    name: 'why_unattributed',
    title: 'Why is so much unattributed?',
    description: 'Where money came from that no ad or channel is credited with.',
    arguments: ['days', 'model'],
    text: 'How much revenue of the last {days} days is credited to no ad under {model}, and why? Use read_unattributed, then list_ads_without_ids and read_tracking_quality. Tell payments of people without a visit apart from visits without tags, and say which ads to tag first.',
  },
  {
    name: 'where_should_budget_go',
    title: 'Where should the next budget go?',
    description: 'What to raise, lower or pause, with a dry run and nothing changed.',
    arguments: ['days', 'model'],
    text: 'Where should budget go next? Use list_campaigns and read_campaign_trend of the last {days} days under {model}, and list_top_performers. Leave out whatever has fewer than 10 payments: it is too early. Propose at most three changes. Only where tools for changing ads are offered, show each as a dry run; change nothing.',
  },
  {
    name: 'what_does_a_new_customer_cost',
    title: 'What does a new customer cost, and what do they bring?',
    description: 'Cost of a first payment, and what cohorts of customers paid later.',
    arguments: ['days', 'model'],
    text: 'What did a new customer cost in the last {days} days under {model}, by campaign, and what do customers bring later? Use list_campaigns for the cost of a first payment and list_cohorts for what came after. Say which cohorts are still too young to be compared.',
  },
  {
    name: 'best_creatives',
    title: 'Which creatives do best, over all profiles?',
    description: 'The ads with the best scores, and what they have in common.',
    arguments: ['subject'],
    text: 'Which creatives do best? If rank_top_performers is offered, use it for all profiles; else use list_top_performers. Compare hook, format, angle and offer of the best ten, with {subject} in mind, and say what to make more of. Never add up amounts of different currencies.',
  },
  {
    name: 'can_i_trust_these_numbers',
    title: 'Can I trust these numbers?',
    description: 'Whether connections, tracking and attribution are whole and up to date.',
    arguments: ['days'],
    text: 'Can the reports of the last {days} days be trusted? Use read_profile, list_connections, read_tracking_quality, read_replay_status and list_ads_without_ids. List what is broken or late, what it does to which figure, and how to mend it; say plainly if nothing is.',
  },
];

/** Renders the text for the assistant; missing arguments take their default. */
export function renderPrompt({ text }: Prompt, given: Readonly<Record<string, string>>, today: string): string {
  const rendered = text.replace(/\{(\w+)\}/g, (_, name: keyof typeof promptArguments) =>
    (given[name]?.trim() || promptArguments[name].fallback).slice(0, 200),
  );
  return `Today is ${today} (UTC). ${rendered} ${closingInstructions}`;
}
