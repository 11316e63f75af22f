import { t } from './messages/index.ts';
import { locale } from './messages/language.ts';

/** Formats numbers and dates in the language of the interface. A missing figure is a dash, never a zero. */

export const nothing = '–';

type Amount = number | string | null | undefined;

const made = new Map<string, Intl.NumberFormat>();

function format(value: Amount, options: Intl.NumberFormatOptions): string {
  if (value === null || value === undefined) return nothing;
  const key = JSON.stringify(options);
  const formatter = made.get(key) ?? new Intl.NumberFormat(locale, options);
  made.set(key, formatter);
  // Intl parses a string digit by digit, so an exact amount stays exact.
  return formatter.format(value as Intl.StringNumericLiteral);
}

/** Formats with the decimals of the currency: 0 for CLP, 3 for KWD. */
export const money = (value: Amount, currency: string): string => format(value, { style: 'currency', currency });

/** An unrounded amount: up to four decimals more than its currency has. */
export function exactMoney(value: string, currency: string): string {
  const usual = new Intl.NumberFormat(locale, { style: 'currency', currency }).resolvedOptions();
  const { maximumFractionDigits: digits = 2 } = usual;
  const isFiner = (value.split('.')[1]?.replace(/0+$/, '').length ?? 0) > digits;
  return isFiner
    ? format(value, { style: 'currency', currency, minimumFractionDigits: digits + 4 })
    : money(value, currency);
}

/** A platform may report fractional conversions. */
export const count = (value: Amount): string => format(value, { maximumFractionDigits: 2 });

export const ratio = (value: Amount): string => format(value, { minimumFractionDigits: 2, maximumFractionDigits: 2 });

export const percent = (share: number): string => format(share, { style: 'percent', maximumFractionDigits: 1 });

export const rate = (value: Amount): string => format(value, { maximumSignificantDigits: 8 });

/** A relative change with its sign: "+12%". */
export const signedPercent = (share: number): string =>
  format(share, { style: 'percent', maximumFractionDigits: 0, signDisplay: 'exceptZero' });

/** For an axis: "$12K". */
export const shortMoney = (value: Amount, currency: string): string =>
  format(value, { style: 'currency', currency, notation: 'compact', maximumFractionDigits: 1 });

/** A difference, so a positive value gets a plus sign. */
export const signed = (value: Amount): string => format(value, { maximumFractionDigits: 2, signDisplay: 'exceptZero' });

export const signedMoney = (value: Amount, currency: string): string =>
  format(value, { style: 'currency', currency, signDisplay: 'exceptZero' });

const dayFormat = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' });
const longDayFormat = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' });

/** A calendar date is already in the profile's time zone, so it must not be shifted to the reader's. */
export const day = (date: string): string => dayFormat.format(new Date(`${date}T00:00:00Z`));
export const longDay = (date: string): string => longDayFormat.format(new Date(`${date}T00:00:00Z`));

/** The calendar date of a timestamp in the profile's time zone. */
export const dayIn = (at: string, timeZone: string): string =>
  new Intl.DateTimeFormat('en-CA', { timeZone }).format(new Date(at));

/** A timestamp in the profile's time zone, which also decides the day it belongs to. */
export const moment = (at: string, timeZone: string): string =>
  new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone }).format(new Date(at));

/** The time of day of a timestamp, for places that show the date separately. */
export const clock = (at: string, timeZone: string): string =>
  new Intl.DateTimeFormat(locale, { timeStyle: 'short', timeZone }).format(new Date(at));

const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** A duration in its largest full unit: "3 days". */
export function duration(seconds: number): string {
  const [unit, size] = units.find(([, length]) => seconds >= length) ?? ['second', 1];
  return format(Math.floor(seconds / size), { style: 'unit', unit, unitDisplay: 'long' });
}

/** An unknown channel means that the visit's tags are in no list. */
export const channelTitle = (channel: string): string => (channel === 'unknown' ? t.touches.unlisted : words(channel));

/** Turns API names such as `payment_received` and `search_ads` into words. Custom names stay unchanged. */
export function words(name: string): string {
  const translated = t.names[name];
  if (translated) return translated;
  const text = name.replaceAll('_', ' ').replace(/\bai\b/, 'AI');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The age in its largest full unit: "3 hours ago". */
export function ago(at: string, now: Date = new Date()): string {
  const seconds = Math.max(0, Math.round((now.getTime() - Date.parse(at)) / 1000));
  const [unit, size] = units.find(([, length]) => seconds >= length) ?? ['second', 1];
  return new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(-Math.floor(seconds / size), unit);
}

/** In the reader's time zone, for timestamps that belong to no profile. */
export const localMoment = (at: string): string =>
  new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(at));
export const localTime = (at: string): string =>
  new Intl.DateTimeFormat(locale, { timeStyle: 'short' }).format(new Date(at));

export const milliseconds = (value: number): string => format(value, { style: 'unit', unit: 'millisecond' });
