import { createSealer, createVault, publicKeyOf } from '@tributary/vault';
import type { KeyPurpose } from '@tributary/vocabulary';

/** Keys of a test's own, in the place of a key ring; what the test's API seals is opened by the same. */
export const testRing = {
  keys: (purpose: KeyPurpose) => [{ id: 'test', bytes: Buffer.alloc(32, purpose === 'envelope' ? 7 : 5) }],
  envelope: () => createVault(testRing.keys('envelope')),
  eldest: () => ({ id: 'test', bytes: Buffer.alloc(32, 9) }),
  refresh: async () => {},
};

/** Seals what a browser says of a person on its way through the log, as the collector does: for whoever has the ring. */
const streamKeys = testRing.keys('stream').map(publicKeyOf);
export const testStreamVault = createSealer(() => streamKeys);
