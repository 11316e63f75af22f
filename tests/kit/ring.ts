import { createSealer, createVault, publicKeyOf } from '@tributary/vault';
import type { KeyPurpose } from '@tributary/vocabulary';

/** Test keys in place of a key ring; they open what the test's API seals. */
export const testRing = {
  keys: (purpose: KeyPurpose) => [{ id: 'test', bytes: Buffer.alloc(32, purpose === 'envelope' ? 7 : 5) }],
  envelope: () => createVault(testRing.keys('envelope')),
  eldest: () => ({ id: 'test', bytes: Buffer.alloc(32, 9) }),
  refresh: async () => {},
};

/** Seals personal data of a browser for the visit stream, as the collector does. Holders of the ring can open it. */
const streamKeys = testRing.keys('stream').map(publicKeyOf);
export const testStreamVault = createSealer(() => streamKeys);
