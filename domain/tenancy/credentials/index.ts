export {
  type Created,
  findCreated,
  findUserNames,
  revokeCreated,
  toMemberCreator,
  type UserNames,
} from './creators.ts';
export { LastUseRecorder } from './last-use-recorder.ts';
export { hashSecret, isWellFormedSecret, mintSecret } from './secret.ts';
export { findAppOrigins, isLiveApp, revokeApp } from './store.ts';
