import type { Check } from './check.ts';
import { authentication } from './sections/authentication.ts';

/** All checks, in the order in which they run. */
export const checks: readonly Check[] = [...authentication];
