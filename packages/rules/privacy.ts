import { type PrivacyMode, personScopes, privacyModes } from '@tributary/vocabulary';

/**
 * Who may see personal data. Partner apps never may on a healthcare-family profile; a profile with an unknown status
 * counts as one.
 */
export interface PrivacyStatus {
  readonly isHealthcareAgency: boolean;
  readonly privacyMode: string;
}

export function isHealthcareFamily(status: PrivacyStatus | undefined): boolean {
  return status === undefined || status.isHealthcareAgency || status.privacyMode !== 'standard';
}

/** Whether a change makes a profile less private. */
export const isLoosened = (from: PrivacyMode, to: PrivacyMode): boolean =>
  privacyModes.indexOf(to) < privacyModes.indexOf(from);

const personScopeSet: ReadonlySet<string> = new Set(personScopes);

/**
 * The scopes of a partner app's credential at this moment: those it was created with, limited by its grant and by the
 * profile's privacy.
 */
export function effectiveScopes<S extends string>(
  minted: Iterable<S>,
  granted: ReadonlySet<S>,
  isHealthcare: boolean,
): Set<S> {
  return new Set([...minted].filter((scope) => granted.has(scope) && !(isHealthcare && personScopeSet.has(scope))));
}
