export { isPlan, type Plan, plans } from './plan.ts';
export { effectiveScopes, isHealthcareFamily, type PrivacyStatus } from './privacy.ts';
