import type { Route } from './route.ts';
import {
  createKey,
  createProfile,
  createToken,
  createWorkspace,
  deleteKey,
  deleteProfile,
  deleteWorkspace,
  listKeys,
  readPiiAccessLog,
  readProfile,
  updateEntitlement,
  updateGrant,
} from './routes/access.ts';
import {
  acceptInvitation,
  createInvitation,
  deleteAssistant,
  deleteInvitation,
  deleteMember,
  listAssistants,
  listInvitations,
  listMembers,
  readAccount,
  signIn,
  signOut,
  updateMember,
  updatePassword,
} from './routes/accounts.ts';
import { importCustomers, searchCustomers } from './routes/customers.ts';
import { createEvent, createGoal, createGoalDefinition, listGoalDefinitions } from './routes/outcomes.ts';
import { readChangelog, readOpenapi } from './routes/service.ts';

/** Every route there is, by operation id. apps/api maps each to its handler, and does not compile while one is missing. */
export const routes = {
  readOpenapi,
  readChangelog,
  createWorkspace,
  deleteWorkspace,
  createProfile,
  readProfile,
  deleteProfile,
  updateEntitlement,
  updateGrant,
  createKey,
  listKeys,
  deleteKey,
  createToken,
  readPiiAccessLog,
  importCustomers,
  searchCustomers,
  createEvent,
  createGoalDefinition,
  listGoalDefinitions,
  createGoal,
  signIn,
  signOut,
  readAccount,
  updatePassword,
  listAssistants,
  deleteAssistant,
  listMembers,
  updateMember,
  deleteMember,
  createInvitation,
  listInvitations,
  deleteInvitation,
  acceptInvitation,
} satisfies Record<string, Route>;

export type Routes = typeof routes;
export type RouteId = keyof Routes;
