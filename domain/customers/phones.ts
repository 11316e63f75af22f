import { type CountryCode, normalisePhone } from '@tributary/rules';

/** Where a number without a country code is from. A profile cannot say yet, so it is the same country for all. */
const phoneCountryOf = (_profileId: string): CountryCode => 'CL';

/** A phone number as people of the profile write it. */
export const readPhone = (profileId: string, text: string): string | undefined =>
  normalisePhone(text, phoneCountryOf(profileId));

/** WhatsApp writes a number with its country code and without the plus. */
export const readWhatsAppId = (profileId: string, text: string): string | undefined =>
  readPhone(profileId, `+${text.replace(/^\+/, '')}`);
