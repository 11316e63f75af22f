export { applyFault } from './apply-fault.ts';
export { chooseConnection } from './choose-connection.ts';
export { ConnectionUnusable, type OpenedAccount, openAccount } from './open-account.ts';
export { personalData } from './personal-data.ts';
export { type NewConnection, saveConnection } from './save-connection.ts';
export type { ConnectionServices, ConnectionStores, CreateReconnectUrl, ProfileServices } from './services.ts';
export {
  type ConnectionRow,
  type ConnectionWithSync,
  findAccountNames,
  findConnected,
  findConnection,
  listActive,
  listConnectionIdsOfAccounts,
  withSyncs,
} from './store.ts';
export { findFailingSyncs, listFailingSyncs, restartSync } from './sync-store.ts';
export { refuseFault, refuseUnusable, withAccount, withReconnectLink } from './with-account.ts';
