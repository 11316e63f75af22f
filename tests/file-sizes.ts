import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** More than this is asking to be split. Blank lines and comments are not counted: nobody should save on those. */
const most = { code: 300, tests: 400 };

/** Files with more lines of code than a reader takes in. */
export function longFiles(root: string): readonly string[] {
  return globSync('{apps,bench,domain,packages,tests,.ci}/**/*.{ts,tsx}', {
    cwd: root,
    exclude: (path) => path.includes('node_modules') || /\.generated\.ts$|\/dist\//.test(path),
  })
    .sort()
    .flatMap((file) => {
      const lines = linesOfCode(readFileSync(join(root, file), 'utf8'));
      const limit = /\.(test|drill|bench|fixture|cases)\.tsx?$/.test(file) ? most.tests : most.code;
      return lines > limit ? [`${file} has ${lines} lines of code; split it, ${limit} are the most`] : [];
    });
}

export function linesOfCode(source: string): number {
  return source
    .replace(/^\s*\/\*[\s\S]*?\*\/\s*$/gm, '')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.trim().startsWith('//')).length;
}
