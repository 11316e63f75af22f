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
} satisfies Record<string, Route>;

export type Routes = typeof routes;
export type RouteId = keyof Routes;
