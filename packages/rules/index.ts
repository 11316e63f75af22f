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
export { normaliseEmail, normaliseKey, normaliseName, normalisePhone, normaliseRut } from './normalise.ts';
export { isPlan, type Plan, plans } from './plan.ts';
export { effectiveScopes, isHealthcareFamily, type PrivacyStatus } from './privacy.ts';
export { endOfPrefix, maxTermsOfCustomer, type SearchQuestion, searchQuestion, searchTerms } from './search-terms.ts';
