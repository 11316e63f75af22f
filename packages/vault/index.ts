export { createVault, type MasterKey, type SecretPlace, UnreadableSecret, type Vault } from './vault.ts';
