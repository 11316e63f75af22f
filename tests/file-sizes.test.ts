import { expect, test } from 'vitest';
import { linesOfCode } from './file-sizes.ts';

test('counts only lines that are neither blank nor a comment', () => {
  const source = ['/**', ' * Says why.', ' */', '', 'const a = 1; // one', '// why', '  /* and */', 'const b = 2;'];
  expect(linesOfCode(source.join('\n'))).toBe(2);
});
