import { refuse } from '@tributary/operations';
import { isUuid } from '@tributary/vocabulary';

/** A place in an order, as callers carry it from page to page without looking inside. */
export const writeCursor = (...place: readonly string[]): string =>
  Buffer.from(JSON.stringify(place)).toString('base64url');

type Check = (part: string) => boolean;

/** The place again, if it is one that we gave out: each part of it must be what it is checked for. */
export function readCursor<const Checks extends readonly Check[]>(
  text: string,
  checks: Checks,
): { [Index in keyof Checks]: string } {
  const place = parsed(text);
  const isOurs =
    Array.isArray(place) &&
    place.length === checks.length &&
    checks.every((isSound, index) => typeof place[index] === 'string' && isSound(place[index]));
  if (!isOurs)
    refuse('invalid_parameter', 'The query parameter "cursor" is not one that this route gave out.', {
      fields: { field: 'cursor' },
    });
  return place as { [Index in keyof Checks]: string };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    return undefined;
  }
}

export const isId: Check = isUuid;
export const isMinorUnits: Check = (part) => /^-?\d{1,18}$/.test(part);
/** The columns know no other years. */
export const isMoment: Check = (part) => /^(19[7-9]|20\d|21[0-3])\d-/.test(part) && new Date(part).toJSON() === part;
export const isDay: Check = (part) => isMoment(`${part}T00:00:00.000Z`);
