import { expect, test } from 'vitest';
import { startTracker } from './module.ts';

test('the module does nothing on a server', () => {
  const tracker = startTracker({ key: 'trk_a', collector: '/t' });
  tracker.track('trial_started');
  tracker.consent(true);
  expect([typeof window, Object.keys(tracker)]).toEqual(['undefined', ['page', 'track', 'identify', 'consent']]);
});
