import { namesOf } from './names-of.ts';

/**
 * `credit` decides what may be added up. With `single`, campaign rows plus the unattributed rest equal the total;
 * with `multiple`, a conversion counts under each entity that it credits. Each model is implemented twice: in
 * packages/rules/attribution/models and in the packages/clickhouse parts named after it. `npm run check` fails for a
 * model that lacks either.
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

/** Models that credit one touch, and models that divide credit. */
export type SingleModel = ModelOf<'single'>;
export type MultipleModel = ModelOf<'multiple'>;

export const isSingle = (model: AttributionModel): model is SingleModel => attributionModels[model].credit === 'single';
export const singleModels = attributionModelNames.filter(isSingle);
export const multipleModels = attributionModelNames.filter((model): model is MultipleModel => !isSingle(model));

/** The levels of an ad platform's hierarchy, from largest to smallest. */
export const entityLevels = ['campaign', 'ad_set', 'ad'] as const;
export type EntityLevel = (typeof entityLevels)[number];

/** Why a customer's touch is not on the path of their conversion. */
export const leftOutReasons = ['outside_window', 'after_conversion', 'repeat_of_session', 'path_full'] as const;
export type LeftOutReason = (typeof leftOutReasons)[number];

/** The state of a replay of all conversions of a profile. */
export const replayStates = ['queued', 'running', 'stopped', 'failed', 'done'] as const;
export type ReplayState = (typeof replayStates)[number];

/** Whether all stored conversions of a profile have been attributed. */
export const freshnessStates = ['current', 'behind'] as const;
export type FreshnessState = (typeof freshnessStates)[number];

/**
 * Why a conversion is attributed again; a changed figure is explained in these words. Each cause is written in one
 * place (listed in tests/cause-kinds.test.ts). A browser stays linked to its customer, so there is no cause
 * "unlinked": it moves with the customer when they are merged, split or erased.
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
