export { sealedCredentials } from './credentials.ts';
export { listConnections } from './list-connections.ts';
export { readConnection } from './read-connection.ts';
export type { SyncStores } from './run-sync.ts';
export type { ConnectionServices, ConnectionStores } from './services.ts';
export { syncs } from './syncs.queue.ts';
