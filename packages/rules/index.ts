export {
  type CheckedDefinition,
  checkDefinition,
  type Definition,
  type DefinitionRefusal,
  definitionFinder,
  eventNameKey,
  initialDefinitions,
  lookbackDays,
  type NamedEvent,
  type RevenueType,
  revenueType,
  type StandardConversionType,
  standardConversionTypes,
} from './definitions.ts';
export {
  type AcceptedEvent,
  type CheckedEvent,
  checkEvent,
  type EventRefusal,
  type EventSettlement,
  type Json,
  type Money,
  type OutcomeContent,
  type SaidEvent,
  settleEvent,
} from './event-input.ts';
export { type CustomerPayment, firstPayments, type PaymentStanding } from './first-payment.ts';
export {
  decideBrowserIdentity,
  decideIdentity,
  type Holder,
  type Identifier,
  type IdentifierKind,
  identifierKey,
  identifierKinds,
  strongKinds,
  weakKinds,
} from './identity.ts';
export { type Binding, IdentityGraph, type Settlement } from './identity-graph.ts';
export {
  type AmountRefusal,
  allocate,
  compareAmounts,
  convert,
  fromMinorUnits,
  isCurrency,
  minorDigits,
  type ParsedAmount,
  parseAmount,
  subtractAmounts,
  toMinorUnits,
} from './money.ts';
export { normaliseEmail, normaliseKey, normaliseName, normalisePhone, normaliseRut } from './normalise.ts';
export { isPlan, type Plan, plans } from './plan.ts';
export { effectiveScopes, isHealthcareFamily, type PrivacyStatus } from './privacy.ts';
export { endOfPrefix, maxTermsOfCustomer, type SearchQuestion, searchQuestion, searchTerms } from './search-terms.ts';
export { type ParsedSubjectRef, parseSubjectRef, type SubjectRefRefusal } from './subject-ref.ts';
