export {
  type Created,
  findCreated,
  findUserNames,
  revokeCreated,
  showMemberCreator,
  type UserNames,
} from './creators.ts';
export { hashSecret, isWellFormedSecret, mintSecret } from './secret.ts';
export { findAppOrigins, isLiveApp, revokeApp } from './store.ts';
export { LastUseRecorder } from './last-use-recorder.ts';
