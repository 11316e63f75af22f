export { openProfile } from './create-profile.ts';
export { type InviteOwner, openWorkspace } from './create-workspace.ts';
export { tightenPrivacy } from './privacy.ts';
export {
  findDays,
  findGoverningApp,
  findNamedOwner,
  findPlan,
  findPrivacyMode,
  findProfile,
  findProfileName,
  findProfileNames,
  findWorkspaceName,
  findWorkspaceOf,
  getProfile,
  hasProfile,
  hasWorkspace,
  isActiveProfile,
  isAppProvisioned,
  isBeingDeleted,
  isHealthcareProfile,
  isTestProfile,
  lockPlan,
  type ProfileDays,
  type ProfileFacts,
  recordRepriced,
} from './profile-facts.ts';
export { governedProfile, reachProfile, reachWorkspace } from './reach.ts';
export type { ReadinessStep } from './readiness.ts';
export type { StepUp } from './step-up.ts';
