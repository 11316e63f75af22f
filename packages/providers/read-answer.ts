import { z } from 'zod';
import type { ProviderAnswer } from './provider.ts';
import { ProviderFault } from './provider-fault.ts';

/**
 * Parses the body as JSON; undefined if it is invalid, for example truncated. Numbers that a double cannot hold, and decimals, stay
 * text, because money must not be rounded. Characters that PostgreSQL cannot store are removed: a NUL in one customer's name would
 * otherwise stop the whole sync.
 */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text, reviveExactly);
  } catch {
    return undefined;
  }
}

function reviveExactly(_: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value === 'string') return value.replaceAll('\0', '').toWellFormed();
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  return context?.source ?? value;
}

/** A decimal sent as number or text. */
export const decimalText = z.union([z.string(), z.number()]).transform(String);
/** A count sent as number or text. */
export const count = z.union([z.number(), z.string()]).transform(Number).pipe(z.number().int());

/** A date from 2000 to 2099, such as 2026-03-10. The databases reject others. */
export const dayText = z.iso.date().regex(/^20/);
/** An integer of at most 18 digits as text, such as micros or cents of a currency. */
export const wholeText = z
  .union([z.string(), z.number()])
  .transform(String)
  .pipe(z.string().regex(/^-?\d{1,18}$/));
/** Lifetime of a token in seconds, at most 100 years. */
export const lifeSeconds = z.number().min(0).max(3_155_760_000);

/**
 * A timestamp in ISO format. An invalid one is returned unchanged: the ledger then rejects that record with a reason, whereas an
 * error here would stop the whole sync.
 */
export function instant(at: string | Date): string {
  const moment = new Date(at);
  return Number.isNaN(moment.getTime()) ? String(at) : moment.toISOString();
}

/** Fails with verdict `wait` if a promised field is missing: the cause is our parser, so a new consent would not help. */
export function readAs<T>(schema: z.ZodType<T>, value: unknown, what: string): T {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const where = read.error.issues.map(({ path }) => path.join('.')).join(', ');
  throw new ProviderFault({ verdict: 'wait', code: 'unreadable_answer', says: `${what} could not be read: ${where}` });
}

/** The fault for a success response whose body is not JSON. */
export const unreadable = ({ status }: ProviderAnswer): ProviderFault =>
  new ProviderFault({ verdict: 'wait', code: `unreadable_${status}`, says: 'The answer was cut off or is no JSON.' });

/** Removes undefined fields: an absent field differs from an empty one. */
export function omitUndefined<T extends object>(fields: T): { [Name in keyof T]?: Exclude<T[Name], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}
