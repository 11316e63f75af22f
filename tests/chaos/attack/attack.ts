import type { Deployment } from './deployment.ts';

/** An attack that once succeeded against a running deployment. */
export interface Attack {
  /** In lower case: what would be true if the attack succeeded. */
  readonly title: string;
  /** Runs the attack. Resolves to a description of the damage, or undefined if the deployment withstood it. */
  run(deployment: Deployment): Promise<string | undefined>;
}

/** Returns the description of the damage unless the deployment withstood the attack. */
export const unless = (withstood: boolean, damage: string): string | undefined => (withstood ? undefined : damage);
