import { escaped, writeJson } from './hostile.ts';
import type { CredentialName } from './world.ts';

/** A request while it is being made: still in the parts that a mutation can get hold of. */
export interface Draft {
  readonly method: string;
  /** With `{name}` where a parameter goes. */
  readonly path: string;
  /** As they will stand in the address: escaped already, or broken on purpose. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: readonly (readonly [name: string, value: string])[];
  readonly headers: Readonly<Record<string, string>>;
  readonly credential: CredentialName;
  readonly body: unknown;
  readonly isForm: boolean;
  /** Sent in place of the body. */
  readonly bytes: Buffer | undefined;
}

/** Mutations of mutations grow without end; what is longer than this no server reads. */
const longestPart = 20_000;
const mostParts = 1_000;

export function urlOf({ path, params, query }: Draft): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '');
  const parts = query.slice(0, mostParts).map(([name, value]) => `${name}=${value}`.slice(0, longestPart));
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

/** The first line names the fields of all rows; what is no row, and what is no text, is written somehow. */
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

/** The fields of an object as an address or a form carries them: a list is its name again and again. */
export function pairsOf(value: unknown): [name: string, value: string][] {
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([name, field]) =>
    (Array.isArray(field) ? field : [field])
      .filter((one) => one !== undefined)
      .map((one): [string, string] => [escaped(name), escaped(typeof one === 'string' ? one : writeJson(one))]),
  );
}
