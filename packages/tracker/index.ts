import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The built script. It is committed so that no production process needs a bundler. */
export const trackerScript: string = readFileSync(join(import.meta.dirname, 't.generated.js'), 'utf8');
