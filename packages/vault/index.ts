export { holdsPeople } from './holds-people.ts';
export {
  KeyRing,
  rotatedPurposes,
  type StoredKey,
} from './key-ring.ts';
export { ensureKeys, loadKeys, retireKeys, rewrapKeys, rotateKey } from './key-store.ts';
export { createVault, type MasterKey, type SecretPlace, UnreadableSecret, type Vault } from './vault.ts';
