export { noteFault } from './note-fault.ts';
export { ConnectionUnusable, type Opened, openAccount } from './open-account.ts';
export { type NewConnection, saveConnection } from './save-connection.ts';
export type { ConnectionServices, ConnectionStores, ProfileServices } from './services.ts';
export { type ConnectionRow, findConnected, findConnection } from './store.ts';
export { refuseFault, refuseUnusable, withAccount } from './with-account.ts';
