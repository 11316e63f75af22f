import type { Deployment } from './deployment.ts';

/** Something that an attacker did once and that worked. */
export interface Attack {
  /** In small letters, what would be true if it worked. */
  readonly title: string;
  /** What came of it, where it worked; undefined where it held. */
  strike(deployment: Deployment): Promise<string | undefined>;
}

/** The usual end of a strike: nothing to say while `held`. */
export const unless = (held: boolean, came: string): string | undefined => (held ? undefined : came);
