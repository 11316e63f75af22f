export { chooseConnection } from './choose-connection.ts';
export { personalData } from './personal-data.ts';
export { noteFault } from './apply-fault.ts';
export { ConnectionUnusable, type Opened, openAccount } from './open-account.ts';
export { type NewConnection, saveConnection } from './save-connection.ts';
export type { ConnectionServices, ConnectionStores, CreateReconnectUrl, ProfileServices } from './services.ts';
export {
  type Connected,
  type ConnectionRow,
  findAccountNames,
  findConnected,
  findConnection,
  listLive,
  listOfAccounts,
  withSyncs,
} from './store.ts';
export { findFailingSyncs, listFailingSyncs, startOver } from './sync-store.ts';
export { refuseFault, refuseUnusable, withAccount, withReconnectLink } from './with-account.ts';
