import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/security/asvs.md'), 'utf8');

/** The requirements of ASVS 5.0.0 levels 1 and 2, by section. Omitted sections have only level 3. */
const sections =
  'V1.1:1-2 V1.2:1-9 V1.3:1-11 V1.4:1-3 V1.5:1-2 V2.1:1-3 V2.2:1-3 V2.3:1-4 V2.4:1-1 V3.2:1-2 V3.3:1-4 V3.4:1-6 V3.5:1-5 V3.7:1-2 ' +
  'V4.1:1-3 V4.2:1-1 V4.3:1-2 V4.4:1-4 V5.1:1-1 V5.2:1-3 V5.3:1-2 V5.4:1-3 V6.1:1-3 V6.2:1-12 V6.3:1-4 V6.4:1-4 V6.5:1-5 V6.6:1-3 ' +
  'V6.8:1-4 V7.1:1-3 V7.2:1-4 V7.3:1-2 V7.4:1-5 V7.5:1-2 V7.6:1-2 V8.1:1-2 V8.2:1-3 V8.3:1-1 V8.4:1-1 V9.1:1-3 V9.2:1-4 V10.1:1-2 ' +
  'V10.2:1-2 V10.3:1-4 V10.4:1-11 V10.5:1-5 V10.6:1-2 V10.7:1-3 V11.1:1-2 V11.2:1-3 V11.3:1-3 V11.4:1-4 V11.5:1-1 V11.6:1-1 V12.1:1-3 ' +
  'V12.2:1-2 V12.3:1-4 V13.1:1-1 V13.2:1-5 V13.3:1-2 V13.4:1-5 V14.1:1-2 V14.2:1-4 V14.3:1-3 V15.1:1-3 V15.2:1-3 V15.3:1-7 V16.1:1-1 ' +
  'V16.2:1-5 V16.3:1-4 V16.4:1-3 V16.5:1-3 V17.1:1-1 V17.2:1-4 V17.3:1-2';
const required = sections.split(' ').flatMap((part) => {
  const [section = '', range = ''] = part.split(':');
  const [first = 0, last = 0] = range.split('-').map(Number);
  return Array.from({ length: last - first + 1 }, (_, at) => `${section}.${first + at}`);
});

interface Row {
  readonly id: string;
  readonly verdict: string;
  readonly how: string;
}
const rows: Row[] = [...page.matchAll(/^\| (V[\d.]+) \| [12] \| [^|]+ \| ([^|]+) \| ([^|]+) \|$/gm)].map(
  ([, id = '', verdict = '', how = '']) => ({ id, verdict, how }),
);
const notApplicable = [...page.matchAll(/^- (V[\d., V]+): (.+)$/gm)].flatMap(([, ids = '']) => ids.split(', '));

test('lists every requirement of levels 1 and 2 exactly once', () => {
  expect([...rows.map(({ id }) => id), ...notApplicable].toSorted()).toEqual(required.toSorted());
  expect(required).toHaveLength(253);
});

test('every row has a verdict and evidence or a gap, and the totals match', () => {
  for (const { id, verdict, how } of rows) {
    expect([id, ['met', 'partly', 'not met'].includes(verdict)]).toEqual([id, true]);
    expect([id, how.trim().length > 10]).toEqual([id, true]);
  }
  const count = (verdict: string) => rows.filter((row) => row.verdict === verdict).length;
  const counted = [required.length, count('met'), count('partly'), count('not met'), notApplicable.length];
  expect(page).toContain(`| **All** | ${counted.map((number) => `**${number}**`).join(' | ')} |`);
});

test('every test, file and drill named in a row exists', () => {
  const named = rows.flatMap(({ id, how }) => [...how.matchAll(/`([^`\s]+)`/g)].map(([, name = '']) => ({ id, name })));
  const pathOf = (name: string) => {
    if (name.includes('/') && !name.startsWith('@')) return name;
    if (/\.(?:md|json)$/.test(name) && name !== 'openapi.json') return name;
    return existsSync(join(root, `tests/chaos/${name}.drill.ts`)) ? `tests/chaos/${name}.drill.ts` : undefined;
  };
  const files = named.flatMap(({ id, name }) => {
    const path = pathOf(name);
    return path ? [{ id, path }] : [];
  });
  expect(files.length).toBeGreaterThan(200);
  expect(files.filter(({ path }) => !existsSync(join(root, path)))).toEqual([]);
  const drills = rows.flatMap(({ how }) =>
    [...how.matchAll(/drills? ((?:`[a-z-]+`(?:, )?)+)/g)].flatMap(([, names = '']) => names.match(/[a-z-]+/g) ?? []),
  );
  expect(drills.length).toBeGreaterThan(15);
  expect(drills.filter((name) => !existsSync(join(root, `tests/chaos/${name}.drill.ts`)))).toEqual([]);
});
