import {
  type Body,
  type ErrorCode,
  faultWords,
  ItemFault,
  isMissing,
  nearestWord,
  placeOf,
  type Route,
} from '@tributary/contract';
import type { z } from 'zod';
import { type BodyText, type BodyValue, readBodyText } from './read-body-text.ts';
import { Refusal } from './refusal.ts';

/**
 * Validate the parts of a request against the route's declaration. The error names the field of the first fault and lists all
 * faults.
 */
export function parseParams(route: Route, params: unknown): unknown {
  return route.params ? parsePart(route, route.params, params, 'invalid_parameter', 'path parameter') : {};
}

export function parseQuery(route: Route, query: unknown): unknown {
  refuseUnknown(Object.keys(route.query?.shape ?? {}), Object.keys(query as object));
  return route.query ? parsePart(route, route.query, query, 'invalid_parameter', 'query parameter') : {};
}

/**
 * A mistyped parameter must not be ignored, because the answer would contain other data than requested. The input is repeated
 * only if it looks like a name.
 */
function refuseUnknown(known: readonly string[], sent: readonly string[]): void {
  const unknown = sent.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const field = /^[\w.[\]-]{1,60}$/.test(unknown) ? unknown : '…';
  const suggestion = nearestWord(unknown, known);
  const advice = suggestion
    ? `Did you mean "${suggestion}"?`
    : `It takes ${known.length > 0 ? known.join(', ') : 'none'}.`;
  throw new Refusal('invalid_parameter', `This route has no query parameter "${field}". ${advice}`, {
    fields: { field },
  });
}

/** The body with its format and list name; undefined if there is no body. */
export function bodyTextOf(route: Route, bytes: Buffer | undefined, contentType: string | undefined) {
  const { body } = route;
  if (!body) return undefined;
  if (bytes === undefined || bytes.length === 0) {
    if (body.optional) return undefined;
  }
  const wanted = body.contentType ?? 'application/json';
  const sent = contentType?.split(';', 1)[0]?.trim().toLowerCase();
  const isCsv = body.csv === true && sent === 'text/csv';
  if (sent !== wanted && !isCsv) {
    const forms = body.csv ? `${wanted} or text/csv` : wanted;
    throw new Refusal('invalid_request', `Send the body as ${forms} and say so in the Content-Type header.`);
  }
  if (bytes === undefined || bytes.length === 0)
    throw new Refusal('invalid_request', 'The body is empty; this route requires one.');
  const format = isCsv ? 'csv' : wanted === 'application/json' ? 'json' : 'form';
  return { bytes, format, list: body.items ?? body.list } satisfies BodyText;
}

/** Validates the parsed body against the schema of the route. */
export function judgeBody(route: Route, read: BodyValue | undefined): unknown {
  const { body } = route;
  if (!body) return undefined;
  if (!read) return parsePart(route, body.schema, {}, 'validation_error', 'field');
  const { value } = read;
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw new Refusal('invalid_request', 'The body must be a JSON object.');
  placeFaults(body, value as Record<string, unknown>, read.faults);
  if (read.mayHoldUnkeepable) {
    const { [body.items ?? '']: _items, ...judged } = value as Record<string, unknown>;
    rejectUnstorable(judged);
  }
  return parsePart(route, body.schema, value, 'validation_error', 'field');
}

/** Parses and validates a small body synchronously. */
export function parseBody(route: Route, bytes: Buffer | undefined, contentType: string | undefined): unknown {
  const text = bodyTextOf(route, bytes, contentType);
  return judgeBody(route, text && readBodyText(text));
}

/** Rejects items over a limit: one by one if the route validates items separately, else with the whole body. */
function placeFaults({ items: judged, list = '' }: Body, value: Record<string, unknown>, faults: BodyValue['faults']) {
  const [first] = faults;
  if (!first) return;
  if (judged === undefined) {
    const field = [list, first.index, first.field].filter((part) => part !== '').join('.');
    throw new Refusal('validation_error', `The field "${field}" ${first.message}.`, { fields: { field } });
  }
  const items = value[judged];
  if (!Array.isArray(items)) return;
  for (const { index, field, message } of faults)
    if (index < items.length) items[index] = new ItemFault(field, message);
}

/** PostgreSQL cannot store NUL characters or unpaired surrogates, and no valid text contains them. */
function rejectUnstorable(value: unknown): void {
  if (typeof value === 'string' && (value.includes('\0') || !value.isWellFormed())) {
    throw new Refusal(
      'invalid_request',
      'A text holds a NUL character or half a surrogate pair, which cannot be kept.',
    );
  }
  if (value !== null && typeof value === 'object') {
    for (const [name, part] of Object.entries(value)) {
      rejectUnstorable(name);
      rejectUnstorable(part);
    }
  }
}

function parsePart(route: Route, schema: z.ZodType, value: unknown, fallback: ErrorCode, noun: string): unknown {
  const broken = noun === 'field' ? undefined : findFieldWithNul(value);
  if (broken !== undefined) throw new Refusal(codeOf(route, [broken]) ?? fallback, `A ${noun} holds a NUL character.`);
  const parsed = schema.safeParse(value, { error: faultWords });
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.slice(0, maxFaults).map((one) => nearestVariant(one) ?? one);
  const [issue] = issues;
  const path = issue ? placeOf(issue) : [];
  const code = codeOf(route, path) ?? fallback;
  const field = path.join('.');
  const message =
    issue?.code === 'unrecognized_keys'
      ? issue.message
      : `The ${field ? `${noun} "${field}"` : 'body'} ${sentence(issue)}`;
  if (code !== 'validation_error' && code !== 'invalid_parameter') throw new Refusal(code, message);
  const faults = issues.map((one) => ({ field: placeOf(one).join('.'), message: one.message }));
  throw new Refusal(code, message, { fields: { ...(field && { field }), ...(faults.length > 1 && { faults }) } });
}

/** More faults at once would not help the caller. */
const maxFaults = 20;

/** In a URL each field is a text or a list of texts; assistants may also send numbers. */
const findFieldWithNul = (value: unknown): string | undefined =>
  Object.entries(value ?? {}).find(
    ([name, said]) => name.includes('\0') || [said].flat().some((one) => typeof one === 'string' && one.includes('\0')),
  )?.[0];

/** For a union of schemas, the fault of the variant that matches best: the one whose field is present, although invalid. */
function nearestVariant(issue: z.core.$ZodIssue | undefined): z.core.$ZodIssue | undefined {
  if (issue?.code !== 'invalid_union') return issue;
  const firsts = issue.errors.flatMap(([first]) => (first ? [{ ...first, path: [...issue.path, ...first.path] }] : []));
  const present = firsts.find((first) => !isMissing(first));
  return nearestVariant(present ?? firsts.at(-1) ?? undefined) ?? issue;
}

/** The code that the route assigns to a field or one of its parents; "*" matches any field. */
function codeOf(route: Route, path: readonly string[]): ErrorCode | undefined {
  const codes = new Map(Object.entries(route.refusedAs ?? {}));
  for (let length = path.length; length > 0; length -= 1) {
    const code = codes.get(path.slice(0, length).join('.'));
    if (code) return code;
  }
  return codes.get('*');
}

/** Some schema messages are not sentences on their own. */
function sentence(issue: z.core.$ZodIssue | undefined): string {
  const text = issue?.message ?? 'is not valid';
  return /^(must|is|has|have|holds|needs|may|cannot|takes)\b/.test(text) ? `${text}.` : `is not valid: ${text}.`;
}
