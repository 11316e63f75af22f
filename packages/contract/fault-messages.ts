import type { z } from 'zod';
import { nearestWord } from './nearest-word.ts';

/**
 * Validation messages that follow the name of the field. Messages that a schema defines itself take precedence. A message never
 * repeats the input, which may be personal data.
 */
export const faultWords: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? required : `must be ${nouns[issue.expected] ?? `of type ${issue.expected}`}`;
    case 'too_big':
      return bounds(issue.origin, 'up to', 'at most', Number(issue.maximum));
    case 'too_small':
      return issue.origin === 'string' && Number(issue.minimum) === 1
        ? 'must not be empty'
        : bounds(issue.origin, 'at least', 'at least', Number(issue.minimum));
    case 'invalid_format':
      return `must be ${formats[issue.format] ?? 'of the form that the reference shows'}`;
    case 'invalid_value':
      return issue.input === undefined
        ? required
        : `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map(String).join(', ')}`;
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'unrecognized_keys':
      return unknownField(issue);
    case 'invalid_union':
      return 'has none of the forms that it may have';
    default:
      return 'is not valid';
  }
};

const required = 'is required';

/**
 * Unlike the other messages this is a whole sentence, because the field is not in the schema. Its name is repeated only if it
 * looks like a field name.
 */
function unknownField({ keys, inst }: z.core.$ZodRawIssue<z.core.$ZodIssueUnrecognizedKeys>): string {
  const [name = ''] = keys;
  const fields = Object.keys((inst as z.ZodObject | undefined)?.shape ?? {});
  const meant = nearestWord(name, fields);
  const advice = meant ? `Did you mean \`${meant}\`?` : `Known fields: ${fields.join(', ') || 'none'}.`;
  return `Unknown field${/^[\w.[\]-]{1,60}$/.test(name) ? ` \`${name}\`` : ''}. ${advice}`;
}

/** Whether a required value was missing. */
export const isMissing = ({ message }: { readonly message: string }): boolean => message === required;

/** The path of a fault; for an unknown field, including the field. */
export const placeOf = (issue: z.core.$ZodIssue): string[] => [
  ...issue.path.map(String),
  ...(issue.code === 'unrecognized_keys' ? [(issue.keys[0] ?? '').slice(0, 100)] : []),
];

const nouns: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'a list',
  null: 'null',
};

const formats: Readonly<Record<string, string>> = {
  uuid: 'a UUID',
  email: 'an e-mail address',
  url: 'a URL',
  date: 'a real date written YYYY-MM-DD',
  datetime: 'an ISO 8601 time with Z or an offset, like 2026-01-31T09:30:00Z',
};

function bounds(origin: string, many: string, much: string, limit: number): string {
  if (origin === 'string') return `must have ${many} ${limit} characters`;
  if (origin === 'array' || origin === 'set') return `must hold ${many} ${limit}`;
  return `must be ${much} ${limit}`;
}
