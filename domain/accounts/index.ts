export { holdsPeople } from './holds-people.ts';
export { findMembersAmong, findOwner, isMember, listRoles } from './members-of.ts';
export { findAllMemberships, type Membership } from './memberships.ts';
