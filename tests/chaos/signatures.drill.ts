import type { Drill } from '@tributary/testkit';
import { trySignatures } from '../../domain/notifications/webhooks/signatures.fixture.ts';

const sizes = {
  small: { deliveries: 1_000, mutations: 5_000 },
  full: { deliveries: 10_000, mutations: 100_000 },
};

export const drill: Drill = {
  name: 'signatures',
  promise:
    'A delivery verifies with every active secret over three rotations, and no delivery with a changed character verifies.',
  async run({ size, progress }) {
    const { deliveries, mutations } = sizes[size];
    const total = deliveries + mutations;
    const { refused, accepted } = await trySignatures({
      deliveries,
      mutations,
      progress: (done) => progress(done, total, 'tried'),
    });
    return { passed: refused === 0 && accepted === 0, deliveries, mutations, refused, accepted };
  },
};
