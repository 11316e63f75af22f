export {
  type KeyPurpose,
  KeyRing,
  keyPurposes,
  makeKey,
  rewrapKey,
  rotatedPurposes,
  type StoredKey,
} from './key-ring.ts';
export { createVault, type MasterKey, type SecretPlace, UnreadableSecret, type Vault } from './vault.ts';
