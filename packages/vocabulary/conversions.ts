import { namesOf } from './names-of.ts';

export const revenueTypes = ['cash', 'pipeline', 'gross'] as const;
export type RevenueType = (typeof revenueTypes)[number];

/**
 * The conversion types that every profile has, and the revenue type of each. A definition may add its own type by a
 * conversion_key.
 */
export const conversionTypes = {
  lead_created: { revenueType: 'pipeline' },
  messaging_started: { revenueType: 'pipeline' },
  appointment_booked: { revenueType: 'pipeline' },
  quote_sent: { revenueType: 'pipeline' },
  closed_won: { revenueType: 'pipeline' },
  payment_received: { revenueType: 'cash' },
  order_placed: { revenueType: 'gross' },
} as const satisfies Record<string, { revenueType: RevenueType }>;
export type ConversionType = keyof typeof conversionTypes;
export const conversionTypeNames = namesOf(conversionTypes);

/**
 * What a CRM pipeline stage may count as. Cash is excluded, because it is counted where it is paid. `ignored`: a
 * member decided that the stage means nothing; `unmapped`: nothing was decided yet. A deal in either stage is no
 * outcome.
 */
export const stageOutcomes = [
  'lead_created',
  'messaging_started',
  'appointment_booked',
  'quote_sent',
  'closed_won',
  'ignored',
  'unmapped',
] as const satisfies readonly (ConversionType | 'ignored' | 'unmapped')[];
export type StageOutcome = (typeof stageOutcomes)[number];

/** The source of a stage mapping: a member, our suggestion by the stage's name, or the default. */
export const stageMappingSources = ['suggested', 'user', 'engine_default'] as const;
export type StageMappingSource = (typeof stageMappingSources)[number];

/** How a deal ends. Ends are recorded at any stage; lost deals are stored as events that no definition lists. */
export const dealEnds = ['closed_won', 'deal_lost', 'deal_abandoned'] as const;
export type DealEnd = (typeof dealEnds)[number];

/** What a definition matches: events by name, or deals by pipeline stage. */
export const definitionKinds = ['goal', 'pipeline_stage'] as const;
export type DefinitionKind = (typeof definitionKinds)[number];

/** The result of an event under its idempotency key. */
export const outcomeStatuses = ['recorded', 'duplicate', 'updated'] as const;
export type OutcomeStatus = (typeof outcomeStatuses)[number];

/**
 * What an accepted event lacks. Besides these, a trait that cannot be parsed is reported as `unparseable_` and its
 * name.
 */
export const eventWarnings = {
  no_definition:
    'no definition lists the event, so it counts nowhere until one does; `definitions` says which there are',
  nobody: 'it names nobody, so no visit can be credited for it',
  payment_unknown: 'the refund names no payment that is known yet; it counts as soon as the payment is',
  refund_exceeds_payment: 'more went back than was paid; what the payment is worth ends at zero',
  amount_rounded:
    'the amount has more digits than its currency: it is kept as it was sent, and rounded where it is counted',
} as const;
export type EventWarning = keyof typeof eventWarnings;

/** Where an event happened. Sent to the ad platform unchanged. */
export const actionSources = [
  'website',
  'business_messaging',
  'physical_store',
  'system_generated',
  'app',
  'phone_call',
  'chat',
  'email',
  'other',
] as const;
export type ActionSource = (typeof actionSources)[number];

/** Answers to how a customer found the business. */
export const declaredSourceAnswers = [
  'instagram',
  'facebook',
  'tiktok',
  'google',
  'youtube',
  'linkedin',
  'whatsapp',
  'email',
  'friend_referral',
  'walk_in',
  'event',
  'press',
  'tv_radio',
  'ai_assistant',
  'other',
] as const;
export type DeclaredSourceAnswer = (typeof declaredSourceAnswers)[number];

/** The result of a touch that a partner reported. */
export const partnerTouchStatuses = ['recorded', 'duplicate', 'kept_first'] as const;
export type PartnerTouchStatus = (typeof partnerTouchStatuses)[number];

/** The kinds of touch that partners report. */
export const partnerTouchKinds = ['ad_referral', 'declared_source'] as const;
export type PartnerTouchKind = (typeof partnerTouchKinds)[number];

export const paymentStatuses = [
  'pending',
  'succeeded',
  'failed',
  'partially_refunded',
  'refunded',
  'disputed',
] as const;
export type PaymentStatus = (typeof paymentStatuses)[number];

/** How money was returned: the business refunded it, or the payer's bank charged it back. */
export const refundKinds = ['refund', 'dispute'] as const;
export type RefundKind = (typeof refundKinds)[number];

/** `withdrawn`: the refund failed, or the dispute was won, so the money is back. */
export const refundStatuses = ['completed', 'withdrawn'] as const;
export type RefundStatus = (typeof refundStatuses)[number];

/** Actions of a merchant on a payment, each recorded as an entry of its own. */
export const paymentActions = [
  'installment_marked',
  'installment_unmarked',
  'payer_assigned',
  'payer_withdrawn',
  'refund_recorded',
  'refund_undone',
] as const;
export type PaymentAction = (typeof paymentActions)[number];

/** The result of a merchant's action. */
export const actionOutcomes = ['applied', 'no_change', 'dry_run'] as const;
export type ActionOutcome = (typeof actionOutcomes)[number];

/** The `status` filter of the payment list is about the payer, not a PaymentStatus. */
export const paymentFilters = ['all', 'unidentified'] as const;
export type PaymentFilter = (typeof paymentFilters)[number];
