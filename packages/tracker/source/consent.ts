import { readShared, removeEverything, writeShared } from './storage.ts';

/** The longest lifetime that browsers allow for a cookie. */
export const maxCookieSeconds = 400 * 86_400;

/** The visitor's own answer counts first, then the browser's privacy signal, then the default of the site. */
export function mayTrack(answer: string | undefined, isRequired: boolean, isOptedOut: boolean): boolean {
  return answer ? answer === 'yes' : !isRequired && !isOptedOut;
}

/** Evaluated on every call, because the visitor may have answered in another tab. */
export function isAllowed(isRequired: boolean): boolean {
  const { globalPrivacyControl } = navigator as { globalPrivacyControl?: boolean };
  return mayTrack(readShared('consent'), isRequired, !!globalPrivacyControl);
}

export function hasAgreed(): boolean {
  return readShared('consent') === 'yes';
}

export function hasRefused(): boolean {
  return readShared('consent') === 'no';
}

export function giveConsent(): void {
  writeShared('consent', 'yes', maxCookieSeconds);
}

/**
 * Deletes everything but the refusal, without which the next page would start tracking again. Where consent is required first and
 * was never given, not even the refusal is stored.
 */
export function refuseConsent(isRequired: boolean): void {
  forget(!isRequired || !!readShared('consent'));
}

/** Deletes the data of an earlier page if the site has since started to require consent or the browser to object. */
export function forgetUnlessAllowed(isRequired: boolean): void {
  if (!isAllowed(isRequired)) forget(hasRefused());
}

function forget(keepsRefusal: boolean): void {
  removeEverything();
  if (keepsRefusal) writeShared('consent', 'no', maxCookieSeconds);
}
