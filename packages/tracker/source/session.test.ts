import { expect, test } from 'vitest';
import { keptSession, ongoingSession } from './session.ts';

const minute = 60_000;
const id = '019a8f2e-0000-7000-8000-000000000001';
const start = Date.UTC(2026, 10, 15, 10);

test.each([
  ['at once', 0, true],
  ['just inside half an hour', 30 * minute - 1, true],
  ['at half an hour', 30 * minute, false],
  ['after a clock was set back a little', -5 * minute, true],
  ['after a clock was set back a day', -24 * 60 * minute, false],
])('a session goes on: %s, %s ms: %s', (_, laterMs, goesOn) => {
  expect(ongoingSession(keptSession(id, start), start + laterMs)).toBe(goesOn ? id : undefined);
});

test.each([undefined, '', id, `.${start}`, `${id}.x`, `session.${start}`])(
  'what cannot be read is no session: %s',
  (kept) => {
    expect(ongoingSession(kept, start)).toBeUndefined();
  },
);
