import {
  deleteConnection,
  disconnectConnection,
  listPixels,
  listStages,
  listTrackedPages,
  readOutcomesPrefill,
  selectTrackedPages,
} from './connection-details.ts';
import { listSearchTerms, readSyncStatus, startSync } from './connection-syncs.ts';
import { listConnections, readConnection } from './connections.ts';

/** All routes of connections. */
export const connectionRoutes = {
  listConnections,
  readConnection,
  startSync,
  readSyncStatus,
  listSearchTerms,
  disconnectConnection,
  deleteConnection,
  listPixels,
  listStages,
  readOutcomesPrefill,
  listTrackedPages,
  selectTrackedPages,
};
