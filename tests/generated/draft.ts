import { escaped, writeJson } from './hostile.ts';
import type { CredentialName } from './world.ts';

/** A request in parts that mutations can change. */
export interface Draft {
  readonly method: string;
  /** With `{name}` for each parameter. */
  readonly path: string;
  /** Already escaped, or escaped incorrectly on purpose. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: readonly (readonly [name: string, value: string])[];
  readonly headers: Readonly<Record<string, string>>;
  readonly credential: CredentialName;
  readonly body: unknown;
  readonly isForm: boolean;
  /** Replaces the body if defined. */
  readonly bytes: Buffer | undefined;
}

/** Limits the growth by repeated mutations; no server reads longer input. */
const maxPartLength = 20_000;
const maxParts = 1_000;

export function urlOf({ path, params, query }: Draft): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '');
  const parts = query.slice(0, maxParts).map(([name, value]) => `${name}=${value}`.slice(0, maxPartLength));
  return parts.length === 0 ? filled : `${filled}?${parts.join('&')}`;
}

export function bytesOf({ body, isForm, bytes }: Draft): Buffer | undefined {
  if (bytes) return bytes;
  if (body === undefined) return undefined;
  return Buffer.from(isForm ? writeForm(body) : writeJson(body));
}

const writeForm = (body: unknown): string =>
  pairsOf(body)
    .map((pair) => pair.join('='))
    .join('&');

/** CSV whose first line has the fields of all rows. Values that are not strings are written as JSON. */
export function writeCsv(rows: readonly unknown[]): string {
  const fields = [...new Set(rows.flatMap((row) => Object.keys(Object(row))))];
  const cell = (value: unknown) => {
    const text = value === undefined || value === null ? '' : typeof value === 'string' ? value : writeJson(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [fields, ...rows.map((row) => fields.map((field) => Object(row)[field]))]
    .map((line) => `${line.map(cell).join()}\n`)
    .join('');
}

/** The fields of an object as written in an address or a form; a list repeats its name. */
export function pairsOf(value: unknown): [name: string, value: string][] {
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([name, field]) =>
    (Array.isArray(field) ? field : [field])
      .filter((one) => one !== undefined)
      .map((one): [string, string] => [escaped(name), escaped(typeof one === 'string' ? one : writeJson(one))]),
  );
}
