export { openProfile } from './create-profile.ts';
export { openWorkspace } from './create-workspace.ts';
export { tightenPrivacy } from './privacy.ts';
export {
  findDays,
  findGoverningApp,
  findPlan,
  findPrivacyMode,
  findProfile,
  findProfileName,
  findWorkspaceName,
  findWorkspaceOf,
  hasProfile,
  hasWorkspace,
  isHealthcareProfile,
  isServed,
  lockPlan,
  noteRepriced,
  type ProfileDays,
  type ProfileFacts,
  profileOf,
} from './profile-facts.ts';
export { governedProfile, reachProfile, reachWorkspace } from './reach.ts';
export type { ReadinessStep } from './readiness.ts';
