import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The built script, as browsers get it. It stands in the repository so that no process in production needs a bundler. */
export const trackerScript: string = readFileSync(join(import.meta.dirname, 't.generated.js'), 'utf8');
