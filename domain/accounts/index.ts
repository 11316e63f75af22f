export { holdsPeople } from './holds-people.ts';
export { findOwner, isMember } from './members-of.ts';
