import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseChangelog } from './changelog.ts';
import { readChangelog } from './routes/service.ts';

const header = '# Changelog\n\nWhat changed, newest first.\n';

test('parses days and their changes, newest first', () => {
  const text = `${header}
## 2026-11-15

- **Added** The \`changelog\` itself.
- **Breaking** Nothing is **bold** any more.

## 2026-09-05
- **Deprecated** The old way.
`;
  const read = [
    {
      date: '2026-11-15',
      changes: [
        { kind: 'Added', text: 'The `changelog` itself.' },
        { kind: 'Breaking', text: 'Nothing is **bold** any more.' },
      ],
    },
    { date: '2026-09-05', changes: [{ kind: 'Deprecated', text: 'The old way.' }] },
  ];
  expect(parseChangelog(text)).toEqual(read);
  expect(parseChangelog(text.replaceAll('\n', '\r\n'))).toEqual(read);
});

test('an empty history yields no entries', () => {
  expect(parseChangelog('')).toEqual([]);
  expect(parseChangelog(header)).toEqual([]);
});

describe('names the line of a syntax error', () => {
  const day = `${header}\n## 2026-11-15\n- **Added** One.\n`;

  test.each([
    ['a day that does not exist', `${header}\n## 2026-02-30\n- **Added** One.`, 'line 5: "2026-02-30" is not a date'],
    ['a version in place of a day', `${header}\n## 1.0.0\n- **Added** One.`, 'line 5: "1.0.0" is not a date'],
    ['an older day first', `${day}\n## 2026-11-16\n- **Added** Two.`, 'line 8: 2026-11-16 stands below 2026-11-15'],
    ['the same day twice', `${day}\n## 2026-11-15\n- **Added** Two.`, 'line 8: 2026-11-15 stands below 2026-11-15'],
    [
      'a day without changes',
      `${header}\n## 2026-11-15\n\n## 2026-11-14\n- **Added** One.`,
      'nothing is said of 2026-11-15',
    ],
    ['a last day without changes', `${day}\n## 2026-11-14\n`, 'nothing is said of 2026-11-14'],
    ['an unknown kind', `${day}- **Removed** Two.`, 'line 7: "Removed" is not one of Added, Changed, Fixed'],
    ['a kind in small letters', `${day}- **added** Two.`, 'line 7: "added" is not one of'],
    ['a change without a kind', `${day}- Two.`, 'line 7: a change is one line'],
    ['a change without words', `${day}- **Fixed** `, 'line 7: a change is one line'],
    ['a change of two lines', `${day}  and more of it.`, 'line 7: a change is one line'],
    ['another kind of heading', `${day}### Details`, 'line 7: a change is one line'],
  ])('%s', (_name, text, complaint) => {
    expect(() => parseChangelog(text)).toThrow(complaint);
  });
});

test("the project's own changelog is valid", () => {
  const text = readFileSync(join(import.meta.dirname, '../../CHANGELOG.md'), 'utf8');
  const entries = parseChangelog(text);
  expect(entries.length).toBeGreaterThan(0);
  const dates = entries.map(({ date }) => date);
  expect(dates).toEqual([...dates].sort().reverse());
  expect(readChangelog.answers[200].schema.safeParse({ data: entries, meta: {} }).error).toBeUndefined();
  // A heading inside the introduction would be skipped silently.
  expect(dates).toHaveLength(text.match(/^#+ .*\d{4}/gm)?.length ?? 0);
});
