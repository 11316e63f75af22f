import { decodeOnce } from './decode.ts';

/** Parses the URL parameters that campaigns use. */

const maxValueCharacters = 300;

/**
 * Parameter names in lower case with their first non-empty value; from the query, then from a hash that looks like
 * one.
 */
export function readParameters(url: URL): Map<string, string> {
  const parameters = new Map<string, string>();
  if (url.search.length > 1) readInto(parameters, url.search.slice(1));
  const { hash } = url;
  if (hash.includes('=')) readInto(parameters, hash.slice(Math.max(hash.indexOf('?'), 0) + 1));
  return parameters;
}

function readInto(parameters: Map<string, string>, query: string): void {
  for (const part of query.split('&')) {
    const equals = part.indexOf('=');
    if (equals <= 0 || equals === part.length - 1) continue;
    const name = decodeOnce(part.slice(0, equals)).trim().toLowerCase();
    if (parameters.has(name)) continue;
    const value = readValue(part.slice(equals + 1));
    if (value !== undefined) parameters.set(name, value);
  }
}

/** Undefined for a blank value or an unfilled macro. */
export function readValue(raw: string): string | undefined {
  const value = cleanValue(raw);
  return value === '' || isPlaceholder(value) ? undefined : value;
}

function cleanValue(raw: string): string {
  const text = decodeOnce(raw.replaceAll('+', ' '))
    .toWellFormed()
    .replace(/\p{Cc}/gu, '')
    .trim();
  // Cut by code points, so that no surrogate pair is split.
  return text.length > maxValueCharacters ? [...text].slice(0, maxValueCharacters).join('') : text;
}

/** A platform macro that was not filled in: `{{ad.id}}`, `{campaignid}`, `__CID__`, `[[x]]`, `%%x%%`, `${x}`. */
function isPlaceholder(value: string): boolean {
  return /^(\$?\{.*\}|__[a-z0-9_.]+__|\[.*\]|%%.*%%|<.*>)$/i.test(value);
}
