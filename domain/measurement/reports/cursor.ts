import { refuse } from '@tributary/operations';
import { isUuid } from '@tributary/vocabulary';

/** Encodes a position in a sorted list as an opaque cursor. */
export const writeCursor = (...position: readonly string[]): string =>
  Buffer.from(JSON.stringify(position)).toString('base64url');

type Check = (part: string) => boolean;

/** Decodes a cursor and validates each part; refuses one that this route did not issue. */
export function readCursor<const Checks extends readonly Check[]>(
  text: string,
  checks: Checks,
): { [Index in keyof Checks]: string } {
  const position = parseJson(text);
  const isValid =
    Array.isArray(position) &&
    position.length === checks.length &&
    checks.every((check, index) => typeof position[index] === 'string' && check(position[index]));
  if (!isValid)
    refuse('invalid_parameter', 'The query parameter "cursor" is not one that this route gave out.', {
      fields: { field: 'cursor' },
    });
  return position as { [Index in keyof Checks]: string };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    return undefined;
  }
}

export const isId: Check = isUuid;
export const isMinorUnits: Check = (part) => /^-?\d{1,18}$/.test(part);
/** ClickHouse stores no other years. */
export const isMoment: Check = (part) => /^(19[7-9]|20\d|21[0-3])\d-/.test(part) && new Date(part).toJSON() === part;
export const isDay: Check = (part) => isMoment(`${part}T00:00:00.000Z`);
