import { expect, test } from 'vitest';
import { formatSession, getActiveSession } from './session.ts';

const minute = 60_000;
const id = '019a8f2e-0000-7000-8000-000000000001';
const start = Date.UTC(2026, 10, 15, 10);

test.each([
  ['immediately after the last visit', 0, true],
  ['just under half an hour later', 30 * minute - 1, true],
  ['after half an hour', 30 * minute, false],
  ['after a clock was set back a little', -5 * minute, true],
  ['after a clock was set back a day', -24 * 60 * minute, false],
])('a session %s (%s ms) continues: %s', (_, laterMs, continues) => {
  expect(getActiveSession(formatSession(id, start), start + laterMs)).toBe(continues ? id : undefined);
});

test.each([undefined, '', id, `.${start}`, `${id}.x`, `session.${start}`])(
  'an unreadable value is no session: %s',
  (stored) => {
    expect(getActiveSession(stored, start)).toBeUndefined();
  },
);
