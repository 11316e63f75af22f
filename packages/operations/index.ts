export { isAdmitted } from './admission.ts';
export {
  countRefusal,
  rateHeaders,
  takeAttempt,
  takeFromAddress,
  takeRegistration,
  tooMany,
} from './allowance.ts';
export { AttemptLimiter } from './attempt-limiter.ts';
export type { Actor, AddToAudit, AuditEntry, AuditLog, WriteAudit } from './audit.ts';
export { actorOf } from './audit-entry.ts';
export { BodyThread } from './body-thread.ts';
export type { AnyHandler, AuditRefusal, Call, OperationDeps, Prepared, RawInput, SendAnswer } from './call.ts';
export { Costs, payerOf } from './costs.ts';
export { keyFor } from './customer-key.ts';
export { FairScheduler, requestSlots } from './fair-scheduler.ts';
export {
  answer,
  type Caller,
  type CallerOf,
  type Context,
  type Handles,
  type ProfileContext,
  type Servers,
} from './handler.ts';
export { forgetAnswers, sealedAnswers } from './idempotency.ts';
export { type Authenticate, identify, type Presented } from './identify.ts';
export { createOperator, type Operator, type RouteInput, readBody } from './operator.ts';
export { awayAsRefusal, isEngineAway } from './outage.ts';
export { personalData } from './personal-data.ts';
export {
  createPersonalDataGate,
  type Disclosure,
  disclosePersonalData,
  type PersonalDataGate,
  type Send,
} from './personal-data-gate.ts';
export { Refusal, refuse } from './refusal.ts';
export { docsUrl, renderError, renderOAuthError } from './respond.ts';
export { type Admitted, admitCall, runOperation } from './run-operation.ts';
