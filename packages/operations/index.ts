export {
  countRefusal,
  rateHeaders,
  takeAttempt,
  takeFromAddress,
  tooMany,
} from './admission.ts';
export type { AnyHandler, AuditRefusal, Call, Desk, Prepared } from './call.ts';
export { answer, type Caller, type CallerOf, type Context, type Handles, type ProfileContext } from './handler.ts';
export { eraseAnswers, readAnswers } from './idempotency.ts';
export { type Authenticate, identify, type Presented } from './identify.ts';
export { createPersonGate, type Leaving, leaveWithPeople, type PersonGate, type Send } from './person-gate.ts';
export { Refusal, refuse } from './refusal.ts';
export { awayAsRefusal, docsUrl, renderError } from './respond.ts';
export { runOperation } from './run-operation.ts';
