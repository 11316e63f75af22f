import { reportedBasisOf } from '@tributary/providers';
import { adPlatformNames } from '@tributary/vocabulary';
import { expect, test } from 'vitest';
import { names } from '../apps/console/source/messages/es/names.ts';
import { findWrittenTexts } from './interface-texts.ts';

test('reports texts in JSX, in attributes and in expressions, but not those from the dictionary', () => {
  const source = `
    import { say } from './words/index.ts';
    const columns = [{ id: 'name', title: 'Name', about: say.table.name }];
    export const Page = ({ count }: { readonly count: number }) => (
      <section aria-label="Days" className="flex gap-2">
        {count > 0 ? 'Nothing was sent yet' : \`Sent \${count} of them\`}
        <p title={say.table.name}>Loading</p>
        <code>POST /api/v1/events</code> · {count}, {say.table.name}
      </section>
    );
    throw new Error('The page has no place.');`;
  const [first = '', ...others] = findWrittenTexts('apps/console/source/page.tsx', source);
  expect(first).toBe('apps/console/source/page.tsx contains the text “Name”; move it to apps/console/source/messages/');
  expect(others.map((line) => /“(.*)”/.exec(line)?.[1])).toEqual(['Days', 'Nothing was sent yet', 'Loading']);
});

test('how each platform counts its conversions has a Spanish text', () => {
  for (const platform of adPlatformNames) expect(Object.keys(names)).toContain(reportedBasisOf(platform));
});
