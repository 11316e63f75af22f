export {
  admit,
  countRefusal,
  deprecationHeaders,
  hidden,
  rateHeaders,
  takeAllowance,
  takeAttempt,
  takeFromAddress,
  tooMany,
} from './admission.ts';
export { answer, type Caller, type Context, type Handles, Refusal, refuse } from './handler.ts';
export {
  claimKey,
  eraseAnswers,
  findStoredAnswer,
  type IdempotentRequest,
  readAnswers,
  readIdempotentRequest,
  type StoredAnswer,
  storeAnswer,
} from './idempotency.ts';
export { parseBody, parseParams, parseQuery } from './parse.ts';
export { passPersonGate, recordRefusedRead } from './person-gate.ts';
export { docsUrl, renderError } from './respond.ts';
