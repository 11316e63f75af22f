import { type PrivacyMode, personScopes, privacyModes } from '@tributary/vocabulary';

/** Who may see people. Partner apps never do on a healthcare-family profile; where its status is unknown it counts as one. */
export interface PrivacyStatus {
  readonly isHealthcareAgency: boolean;
  readonly privacyMode: string;
}

export function isHealthcareFamily(status: PrivacyStatus | undefined): boolean {
  return status === undefined || status.isHealthcareAgency || status.privacyMode !== 'standard';
}

/** Whether a profile would be less private than it is. */
export const isLoosened = (from: PrivacyMode, to: PrivacyMode): boolean =>
  privacyModes.indexOf(to) < privacyModes.indexOf(from);

const ofPeople: ReadonlySet<string> = new Set(personScopes);

/** What a credential of a partner app is worth at this moment: what it was minted with, within its grant, within privacy. */
export function effectiveScopes<S extends string>(
  minted: Iterable<S>,
  granted: ReadonlySet<S>,
  isHealthcare: boolean,
): Set<S> {
  return new Set([...minted].filter((scope) => granted.has(scope) && !(isHealthcare && ofPeople.has(scope))));
}
