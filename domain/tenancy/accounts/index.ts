export { findMembersAmong, findOwner, isMember, listRoles } from './members-of.ts';
export { findAllMemberships, type Membership } from './memberships.ts';
export { personalData } from './personal-data.ts';
