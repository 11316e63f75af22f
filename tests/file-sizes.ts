import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The maximum lines of code per file. Blank lines and comments do not count, so that they are not cut to fit. */
const maxLines = { code: 300, tests: 400 };

/** Files with more lines of code than allowed. */
export function longFiles(root: string): readonly string[] {
  return globSync('{apps,bench,domain,packages,tests,.ci}/**/*.{ts,tsx}', {
    cwd: root,
    exclude: (path) => path.includes('node_modules') || /\.generated\.ts$|\/dist\//.test(path),
  })
    .sort()
    .flatMap((file) => {
      const lines = linesOfCode(readFileSync(join(root, file), 'utf8'));
      const limit = /\.(test|drill|bench|fixture|cases)\.tsx?$/.test(file) ? maxLines.tests : maxLines.code;
      return lines > limit ? [`${file} has ${lines} lines of code, more than ${limit}; split it`] : [];
    });
}

export function linesOfCode(source: string): number {
  return source
    .replace(/^\s*\/\*[\s\S]*?\*\/\s*$/gm, '')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.trim().startsWith('//')).length;
}
