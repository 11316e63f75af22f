import { createHash } from 'node:crypto';
import { refuse } from '@tributary/operations';
import { limits } from '@tributary/vocabulary';

/** The text that a member accepts before ads are duplicated. Every change of the text needs a new version. */
const version = '1';
const texts = {
  en: 'Every ad that delivers now is copied onto the clean dataset and the original is paused. Copies are reviewed and learn anew; results so far stay with the originals.',
  es: 'Cada anuncio activo se copia al conjunto de datos limpio y el original queda en pausa. Las copias se revisan y aprenden de nuevo; los resultados anteriores quedan en los originales.',
} as const;

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');
export const consentInForce = {
  version,
  text_hashes: Object.fromEntries(Object.entries(texts).map(([language, text]) => [language, hashOf(text)])),
};

export interface Consent {
  readonly version: string;
  readonly text_hash: string;
  readonly accepted_by: string;
  readonly accepted_at: string;
}

/** Requires recent consent to the current text. */
export function requireConsent(consent: Consent | undefined, now: Date): void {
  const age = consent ? now.getTime() - Date.parse(consent.accepted_at) : Number.NaN;
  const isRecent = age >= 0 && age <= limits.consent.maxAgeHours * 3_600_000;
  const isOfText =
    consent?.version === version && Object.values(consentInForce.text_hashes).includes(consent.text_hash);
  if (!isRecent || !isOfText)
    refuse('consent_required', 'Duplicating and swapping ads needs consent to the text in force. Nothing was sent.', {
      fields: { consent: consentInForce },
    });
}
