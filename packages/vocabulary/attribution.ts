import { namesOf } from './names-of.ts';

/**
 * `credit` decides what may be added up: with `single`, campaign rows and the unattributed rest make the total; with `multiple`,
 * one conversion counts under each entity that it credits.
 *
 * How each is worked out is said twice, in packages/rules/attribution/models and in the parts of packages/clickhouse that are
 * named after it. `npm run check` refuses a model that has not got both.
 */
export const attributionModels = {
  last_touch: { credit: 'single', description: 'The last touch before the conversion earns all.' },
  first_touch: { credit: 'single', description: 'The first touch earns all.' },
  last_non_direct: {
    credit: 'single',
    description: 'The last touch that was not a direct visit earns all, if there is one.',
  },
  linear: { credit: 'multiple', description: 'All touches earn the same.' },
  time_decay: { credit: 'multiple', description: 'A touch earns half as much for every 7 days it lies further back.' },
  position_based: { credit: 'multiple', description: 'First and last touch earn 40% each, those between share 20%.' },
} as const satisfies Record<string, { credit: 'single' | 'multiple'; description: string }>;

export type AttributionModel = keyof typeof attributionModels;
export const attributionModelNames = namesOf(attributionModels);
export const defaultAttributionModel = 'last_touch' satisfies AttributionModel;

type ModelOf<Credit> = {
  [Model in AttributionModel]: (typeof attributionModels)[Model]['credit'] extends Credit ? Model : never;
}[AttributionModel];

/** Models that give all to one touch, and models that divide. */
export type SingleModel = ModelOf<'single'>;
export type MultipleModel = ModelOf<'multiple'>;

export const isSingle = (model: AttributionModel): model is SingleModel => attributionModels[model].credit === 'single';
export const singleModels = attributionModelNames.filter(isSingle);
export const multipleModels = attributionModelNames.filter((model): model is MultipleModel => !isSingle(model));

/** What an ad platform's things are called, from the largest to the smallest. */
export const entityLevels = ['campaign', 'ad_set', 'ad'] as const;
export type EntityLevel = (typeof entityLevels)[number];

/** Why a touch of somebody has no part in a conversion of theirs. */
export const leftOutReasons = ['outside_window', 'after_conversion', 'repeat_of_session', 'path_full'] as const;
export type LeftOutReason = (typeof leftOutReasons)[number];

/** How a replay of all conversions of a profile stands. */
export const replayStates = ['queued', 'running', 'stopped', 'failed', 'done'] as const;
export type ReplayState = (typeof replayStates)[number];

/** Whether everything that is known of a profile's conversions has been worked out. */
export const freshnessStates = ['current', 'behind'] as const;
export type FreshnessState = (typeof freshnessStates)[number];

/**
 * Why a conversion is worked out again, in the words in which a changed figure is explained. Each is written by one place
 * (tests/cause-kinds.test.ts says which). A browser that is somebody's stays theirs, so nothing is called unlinked: it goes with them when
 * they are merged, split or erased.
 */
export const causeKinds = {
  outcome_recorded: 'It was recorded.',
  refund: 'Money was given back.',
  amount_changed: 'Another amount or currency was said.',
  moved_in_time: 'Another time was said.',
  payer: 'The merchant said who paid.',
  details_changed: 'Something else was said of it: its name, its customer, its ad.',
  late_visit: 'A visit before it became known.',
  late_referral: 'What brought the person was told later: by another outcome, by a partner, by themselves.',
  link: 'A browser turned out to be the person’s.',
  merge: 'Two customers turned out to be one.',
  split: 'A merge was undone.',
  first_payment: 'It is a first payment now, or no longer, or of another purchase.',
  match: 'Records of the same sale were matched, or are counted separately again.',
  definition: 'What such an event means was changed.',
  rate: 'Its exchange rate became known.',
  currency: 'Reports are in another currency.',
  rules: 'A new version works it out otherwise.',
  replay: 'A replay attributed the conversion again.',
  repair: 'Reports differed from the ledger.',
  retry: 'It could not be worked out, and was tried again.',
  erasure: 'The person was erased.',
} as const;
export type CauseKind = keyof typeof causeKinds;
