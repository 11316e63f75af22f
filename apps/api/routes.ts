import type { RouteId, Routes } from '@tributary/contract';
import * as access from '@tributary/domain/access';
import type { Handles } from '@tributary/runtime';
import { readChangelog, readOpenapi } from './self.ts';
import type { Services } from './services.ts';

/** Every declared route and its handler. A route without one does not compile. */
export const handlers: { readonly [Id in RouteId]: Handles<Routes[Id], Services> } = {
  readOpenapi,
  readChangelog,
  createWorkspace: access.createWorkspace,
  deleteWorkspace: access.deleteWorkspace,
  createProfile: access.createProfile,
  readProfile: access.readProfile,
  deleteProfile: access.deleteProfile,
  updateEntitlement: access.updateEntitlement,
  updateGrant: access.updateGrant,
  createKey: access.createKey,
  listKeys: access.listKeys,
  deleteKey: access.deleteKey,
  createToken: access.createToken,
  readPiiAccessLog: access.readPiiAccessLog,
};
