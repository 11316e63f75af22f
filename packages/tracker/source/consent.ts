import { readShared, removeEverything, writeShared } from './storage.ts';

/** As long as browsers keep a cookie at most. */
export const rememberedSeconds = 400 * 86_400;

/** What the person said counts before what their browser says for them, and that before what the site takes for granted. */
export function mayTrack(answer: string | undefined, isRequired: boolean, isOptedOut: boolean): boolean {
  return answer ? answer === 'yes' : !isRequired && !isOptedOut;
}

/** Asked every time, as the answer may have been given in another tab. */
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
  writeShared('consent', 'yes', rememberedSeconds);
}

/**
 * Nothing stays but the refusal itself, or the next page would begin anew. Who is asked first and never said yes does not even leave
 * that.
 */
export function refuseConsent(isRequired: boolean): void {
  forget(!isRequired || !!readShared('consent'));
}

/** Deletes what an earlier page kept, when the site has begun to ask or the browser to object since then. */
export function forgetUnlessAllowed(isRequired: boolean): void {
  if (!isAllowed(isRequired)) forget(hasRefused());
}

function forget(remembersRefusal: boolean): void {
  removeEverything();
  if (remembersRefusal) writeShared('consent', 'no', rememberedSeconds);
}
