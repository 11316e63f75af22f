export {
  KeyRing,
  rotatedPurposes,
  type StoredKey,
  settledAfterMs,
} from './key-ring.ts';
export {
  ensureKeys,
  liveKeys,
  loadEnvelopeKeys,
  loadKeys,
  loadStreamKeys,
  retireKeys,
  rewrapKeys,
  rotateKey,
} from './key-store.ts';
export { keyedHash } from './keyed-hash.ts';
export { personalData } from './personal-data.ts';
export {
  createOpener,
  createSealer,
  type Opener,
  type PublicKey,
  publicKeyOf,
  type Sealer,
} from './sealed-box.ts';
export { openFile, sealFile } from './sealed-file.ts';
export type { SealedColumn } from './sealed-rows.ts';
export {
  createVault,
  KeyNotLoaded,
  type MasterKey,
  type SecretLocation,
  tryOpen,
  UnreadableSecret,
  type Vault,
} from './vault.ts';
