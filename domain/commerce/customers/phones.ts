import { type CountryCode, normalisePhone } from '@tributary/rules';

/** The country of numbers without a country code. Not configurable per profile yet, so the same for all. */
const phoneCountryOf = (_profileId: string): CountryCode => 'CL';

/** Normalises a phone number in the local notation of the profile. */
export const readPhone = (profileId: string, text: string): string | undefined =>
  normalisePhone(text, phoneCountryOf(profileId));

/** Normalises a WhatsApp id, which is a number with country code and without plus. */
export const readWhatsAppId = (profileId: string, text: string): string | undefined =>
  readPhone(profileId, `+${text.replace(/^\+/, '')}`);
