export { governedProfile, reachProfile } from './reach.ts';
