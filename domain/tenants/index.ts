export {
  findDays,
  findPlan,
  findProfile,
  hasProfile,
  type ProfileDays,
  type ProfileFacts,
  profileOf,
} from './profile-facts.ts';
export { governedProfile, reachProfile } from './reach.ts';
