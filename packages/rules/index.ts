export { type Attribution, attribute, type Conversion } from './attribution/attribute.ts';
export { weightsOf } from './attribution/credit.ts';
export { hourWeights, minuteWeights } from './attribution/decay.ts';
export { creditFitted, type FittedCredit, type FittedRule, fitterOf, ruleOf } from './attribution/fitted/fitted.ts';
export type { FittedPath, History, ObservationPeriod } from './attribution/fitted/history.ts';
export { publishedErrors } from './attribution/fitted/published.generated.ts';
export { whyLeftOut } from './attribution/left-out-reason.ts';
export { isInWindow, type Path, pathOf, type Touch as AttributedTouch } from './attribution/path.ts';
export { causesOf, recordedCauses } from './causes.ts';
export { conversionIdOf, outcomeIdOf } from './conversion-id.ts';
export { isOpaqueKey } from './customer-key.ts';
export { dayOf, daysOf } from './days.ts';
export {
  type CheckedDefinition,
  checkDefinition,
  type Definition,
  type DefinitionRefusal,
  definitionFinder,
  eventNameKey,
  initialDefinitions,
  type NamedEvent,
  revenueType,
} from './definitions.ts';
export { entityIdOf } from './entity-id.ts';
export { type ErasedHolder, type ErasedIdentifiers, type Graves, isOfErased, withoutErased } from './erased.ts';
export {
  type AcceptedEvent,
  type CheckedEvent,
  checkEvent,
  type EventInput,
  type EventRefusal,
  type EventSettlement,
  type Json,
  type Money,
  type OutcomeContent,
  resolveEvent,
} from './event-input.ts';
export { type Quote, readBcchRates, readEcbRates, readRateRow, UnreadableRates } from './exchange-rates.ts';
export { type Advice, advise } from './experiments/advise.ts';
export { type Credited, calibrate, combine, isOfUse, priorOf, type TestOf } from './experiments/calibrate.ts';
export {
  chanceOfSizes,
  differenceOf,
  intervalWidth,
  type Measured,
  normalBelow,
  type Side,
} from './experiments/people.ts';
export {
  drawHeldOut,
  lotsFrom,
  type Pairs,
  pairUp,
  type RegionReadout,
  type RegionSums,
  readRegions,
  smallestNoticed,
} from './experiments/regions.ts';
export { type CreditAdjustment, causedBy, shareOut, timesOf } from './experiments/share-out.ts';
export { guessTactic } from './experiments/tactic.ts';
export {
  affectedPayments,
  type CustomerPayment,
  type EarliestPayments,
  earlierOf,
  type FirstPaymentStatus,
  firstPaymentStatus,
  firstPayments,
} from './first-payment.ts';
export {
  type AreApart,
  byAge,
  byStrength,
  decideBrowserIdentity,
  decideIdentity,
  type Holder,
  type HolderOf,
  type Identifier,
  identifierKey,
  isKeyKind,
  isStrongKind,
  strongestOf,
} from './identity.ts';
export { type Binding, IdentityGraph, type IdentitySettlement } from './identity-graph.ts';
export { isTooDeep } from './json-depth.ts';
export {
  type AmountRefusal,
  allocate,
  compareAmounts,
  convert,
  currencies,
  fromMinorUnits,
  isCurrency,
  isFinerThan,
  minorDigits,
  moneyText,
  multiplyAmounts,
  type ParsedAmount,
  parseAmount,
  subtractAmounts,
  sumAmounts,
  toMinorUnits,
} from './money.ts';
export {
  type CountryCode,
  isCountry,
  normaliseEmail,
  normaliseKey,
  normaliseName,
  normalisePhone,
} from './normalise.ts';
export { type PossibleNames, possibleNames } from './personal-identifiers.ts';
export { amountsOfAddress, type DailyAmounts, dailyAmounts, isPlan, visitsPerDay } from './plan.ts';
export { effectiveScopes, isHealthcareFamily, isLoosened, type PrivacyStatus } from './privacy.ts';
export { ratio, roundCount, unitCost } from './ratio.ts';
export { lesser, netAmount, type ReportedRefund, type Reversals, reversalsOf } from './refunds.ts';
export { normaliseRut } from './rut.ts';
export {
  type CountableRecord,
  type GroupedSales,
  groupSales,
  isSystematicOverlap,
  type Sale,
} from './sales/group-sales.ts';
export {
  type LastingMatch,
  type MatchOptions,
  matchRecords,
  pairKey,
  type RecordMatch,
  type SaleRecord,
} from './sales/match-records.ts';
export { mergeRefunds } from './sales/merge-refunds.ts';
export { referencesOf, type SaleReference } from './sales/references.ts';
export {
  cohortDimensionsOf,
  cohortKey,
  type Dimension,
  dimensions,
  type Traits as CohortTraits,
} from './scoring/cohort.ts';
export { creativeFormatOf, isVideo } from './scoring/creative-format.ts';
export { objectiveOf } from './scoring/objective.ts';
export {
  type EarnedOutcomes,
  maturityStage,
  primaryOutcomeKind,
  truthGrade,
} from './scoring/outcomes.ts';
export { percentiles } from './scoring/percentile.ts';
export {
  type AdFigures,
  type AdScore,
  adPercentiles,
  compareAds,
  type ReasonCode,
  scoreAds,
  weighLayers,
} from './scoring/score.ts';
export { scoringPage } from './scoring/scoring-page.ts';
export { clicksPerOutcome, halfEvidence, likelihood as likelihoodNumbers, smallestCohort } from './scoring/weights.ts';
export { endOfPrefix, maxTermsOfCustomer, type SearchQuestion, searchQuestion, searchTerms } from './search-terms.ts';
export { type ParsedSubjectRef, parseSubjectRef, type SubjectRefRefusal } from './subject-ref.ts';
export { suggestStage } from './suggest-stage.ts';
export { adIdTags, tagsFor } from './visits/ad-tags.ts';
export { type Classification, classifyVisit, type Utm, type VisitAddresses } from './visits/channels.ts';
export { channelsPage } from './visits/channels-page.ts';
export { declaredMedium, declaredOrigin } from './visits/declared.ts';
export { maskName } from './visits/mask-name.ts';
export { type MaskedUrl, maskReferrer, maskUrl } from './visits/mask-url.ts';
export { adWithoutPlatform, clickName, type Origin, originOf } from './visits/origin.ts';
export { Effort } from './visits/personal-shapes.ts';
export {
  type ClockRefusal,
  checkClock,
  type Envelope,
  type EnvelopeRefusal,
  type ReadEnvelope,
  type ReadVisit,
  readEnvelope,
  readVisit,
  type Scalar,
  type Traits,
  type Visit,
  type VisitRefusal,
  visitRefusals,
} from './visits/read-visit.ts';
export { decideTouch, type Touch } from './visits/touch.ts';
export { visitorIdMessage, visitorIdOf } from './visits/visitor-id.ts';
