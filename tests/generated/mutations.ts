import { nilUuid } from '@tributary/vocabulary';
import fc from 'fast-check';
import { bytesOf, type Draft } from './draft.ts';
import { escaped, hostileEscapes, hostileTexts, hostileValues } from './hostile.ts';

/** One change of a request. Several may follow each other, so each works on any request. */
export type Mutation = (draft: Draft) => Draft;

/** An index into a list of unknown length. */
const pick = fc.nat(11);
const picked = <T>(list: readonly T[], index: number): T | undefined => list[index % list.length];

const onParameter = fc.tuple(pick, hostileEscapes).map(
  ([index, text]): Mutation =>
    (draft) => {
      const name = picked(Object.keys(draft.params), index);
      return name === undefined ? draft : { ...draft, params: { ...draft.params, [name]: text } };
    },
);

const onPath = fc
  .oneof(
    fc.constantFrom<(path: string) => string>(
      (path) => `${path}/`,
      (path) => path.replace('/api', '//api'),
      (path) => path.toUpperCase(),
      (path) => `${path}/..`,
      (path) => path.slice(0, -1),
      (path) => `${path};a=b`,
      (path) => `${path}/${'x'.repeat(10_000)}`,
      (path) => path.replace('v1', 'v0'),
    ),
    hostileEscapes.map((text) => (path: string) => `${path}/${text}`),
  )
  .map(
    (change): Mutation =>
      (draft) => ({ ...draft, path: change(draft.path) }),
  );

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'PURGE'];
const onMethod = fc.constantFrom(...methods).map(
  (method): Mutation =>
    (draft) => ({ ...draft, method }),
);

type Pair = readonly [name: string, value: string];
type PairChange = (pair: Pair) => readonly Pair[];
const onQuery = fc
  .tuple(
    pick,
    fc.oneof(
      {
        weight: 4,
        arbitrary: hostileEscapes.map(
          (text): PairChange =>
            ([name]) => [[name, text]],
        ),
      },
      {
        weight: 1,
        arbitrary: hostileEscapes.map(
          (text): PairChange =>
            ([name, value]) => [
              [name, value],
              [name, text],
            ],
        ),
      },
      {
        weight: 1,
        arbitrary: hostileEscapes.map(
          (text): PairChange =>
            (pair) => [pair, [text, text]],
        ),
      },
      {
        weight: 2,
        arbitrary: fc.constantFrom<PairChange>(
          () => [],
          ([name]) => [[name, '']],
          (pair) => [pair, pair],
          ([name, value]) => [[`${name}[]`, value]],
          ([name, value]) => [[`${name}[a]`, value]],
          ([name, value]) => [[name.toUpperCase(), value]],
          ([name, value]) => [
            ['__proto__', value],
            [name, value],
          ],
          ([name]) => [[name, 'x'.repeat(20_000)]],
          ([name, value]) => Array.from({ length: 1_500 }, (): Pair => [name, value]),
        ),
      },
    ),
  )
  .map(
    ([index, change]): Mutation =>
      (draft) => {
        const at = draft.query.length === 0 ? 0 : index % draft.query.length;
        const changed = change(draft.query[at] ?? ['q', '1']);
        return { ...draft, query: draft.query.toSpliced(at, 1, ...changed) };
      },
  );

/** The path of every value in a JSON value, starting with the root. */
export function pathsIn(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (value === null || typeof value !== 'object') return [path];
  return [path, ...Object.entries(value).flatMap(([name, inner]) => pathsIn(inner, [...path, name]))];
}

export function changedAt(
  value: unknown,
  [name, ...rest]: readonly string[],
  change: (value: unknown) => unknown,
): unknown {
  if (name === undefined) return change(value);
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<string, unknown>;
  copy[name] = changedAt(copy[name], rest, change);
  return copy;
}

/** Some mutated values cannot be converted to a string. */
const asText = (value: unknown): string => {
  try {
    return String(value);
  } catch {
    return '[object Object]';
  }
};

/** Mutations of one value in a document. */
export const valueChanges: fc.Arbitrary<(value: unknown) => unknown> = fc.oneof(
  { weight: 5, arbitrary: hostileValues.map((hostile) => () => hostile) },
  { weight: 1, arbitrary: fc.constant(() => undefined) },
  { weight: 1, arbitrary: fc.constant((value: unknown) => [value]) },
  {
    weight: 1,
    arbitrary: fc.constant(asText),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(hostileTexts, hostileValues).map(([name, hostile]) => (value: unknown) => ({
      ...(value as object),
      [name]: hostile,
    })),
  },
);

const onValue = fc.tuple(fc.nat(60), valueChanges).map(
  ([index, change]): Mutation =>
    (draft) => {
      if (draft.body === undefined) return draft;
      const path = picked(pathsIn(draft.body), index) ?? [];
      return { ...draft, body: changedAt(draft.body, path, change) };
    },
);

const text = (change: (text: string) => string) => (bytes: Buffer) =>
  Buffer.from(change(bytes.toString('latin1')), 'latin1');
const defaultBodyLimit = 1024 * 1024;

/** Mutations of the bytes of a document. */
export const byteChanges: fc.Arbitrary<(bytes: Buffer) => Buffer> = fc.oneof(
  {
    weight: 30,
    arbitrary: fc.constantFrom<(bytes: Buffer) => Buffer>(
      () => Buffer.alloc(0),
      (bytes) => bytes.subarray(0, bytes.length >> 1),
      (bytes) => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes]),
      (bytes) => Buffer.concat([bytes, Buffer.from([0])]),
      (bytes) => Buffer.concat([bytes, bytes]),
      (bytes) => Buffer.from(bytes.toString(), 'utf16le'),
      text((json) => json.replace(/"/g, "'")),
      text((json) => json.replace(/\}$/, ',}')),
      text((json) => json.replace(/"[^"]*"\s*:/, (name) => `${name}null,${name}`)),
      text((json) => json.replace('{', '{"__proto__":{"isAdmin":true},')),
      text((json) => json.replace('{', '{"a":1e400,"b":-0,')),
      text((json) => json.replace(/[a-z]/, '\xff\xfe')),
      text((json) => json.replace(/[a-z]/, '\xed\xa0\x80')),
      text((json) => json.replace(/[a-z]/, '\xc0\x80')),
      () => Buffer.from('['.repeat(10_000) + ']'.repeat(10_000)),
      () => Buffer.from(`{"a":${'['.repeat(10_000)}`),
    ),
  },
  { weight: 5, arbitrary: fc.uint8Array({ maxLength: 40 }).map((bytes) => () => Buffer.from(bytes)) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(defaultBodyLimit - 20, defaultBodyLimit + 1)
      .map((size) => text((json) => json.replace('{', `{"a":"${'x'.repeat(Math.max(0, size - json.length))}",`))),
  },
);

const onBytes = byteChanges.map(
  (change): Mutation =>
    (draft) => ({ ...draft, bytes: change(bytesOf(draft) ?? Buffer.from('{}')) }),
);

const long = 'x'.repeat(9_000);
/** Undefined removes the header. */
const headerValues: Readonly<Record<string, readonly (string | undefined)[]>> = {
  'content-type': [
    undefined,
    '',
    ';',
    'application',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-16',
    'application/json; charset="',
    'APPLICATION/JSON',
    'application/json, text/plain',
    'application/vnd.api+json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'text/plain',
    'text/csv',
    'TEXT/CSV; header=absent',
    `application/json; ${long}`,
  ],
  authorization: [
    undefined,
    '',
    'Bearer',
    'Bearer ',
    'bearer @secret@',
    'Bearer   @secret@',
    'Bearer @secret@ x',
    'Bearer @secret@@secret@',
    'Bearer @secret@\u0000',
    '@secret@',
    'Basic dXNlcjpwYXNz',
    'Bearer null',
    'Bearer é',
    `Bearer ${long}`,
  ],
  'idempotency-key': ['', ' ', 'with space', 'same', 'x'.repeat(255), 'x'.repeat(256), 'é', '\u0000', long],
  'x-profile-id': ['', 'x', ', ', '\u0000', nilUuid, long],
  cookie: ['', '=', ';', 'session=', 'session=%zz', '__proto__=x', 'a=b; '.repeat(300), `session=${long}`],
  accept: ['', 'text/html', '*/*;q=2', long],
  'accept-encoding': ['', 'gzip, br', 'identity;q=0'],
  'content-encoding': ['gzip', 'identity', 'x'],
  'content-length': ['0', '1', '-1', 'abc', '99999999999999999999'],
  'transfer-encoding': ['chunked', 'gzip'],
  expect: ['100-continue', 'x'],
  host: ['', 'a b', '[::1', 'evil.example', long],
  origin: ['null', 'https://evil.example', '\u0000', long],
  'access-control-request-method': ['', 'DELETE', 'x y'],
  'x-forwarded-for': ['127.0.0.1', 'unknown', ',', '::ffff:1.2.3.4', long],
  'x-forwarded-host': ['evil.example'],
  'x-http-method-override': ['DELETE'],
  'if-none-match': ['*', '"', long],
  range: ['bytes=0-0', 'bytes=9-1'],
  upgrade: ['websocket', 'h2c'],
  'accept-version': ['1.0.0', '*', 'x'],
};

const changes = Object.entries(headerValues).flatMap(([name, values]) => values.map((value) => [name, value] as const));
const onHeader = fc
  .oneof(
    { weight: 4, arbitrary: fc.constantFrom(...changes) },
    {
      weight: 1,
      arbitrary: fc.tuple(
        fc.constantFrom('idempotency-key', 'x-profile-id', 'cookie', 'authorization', 'x-unknown'),
        hostileTexts.map((hostile) => escaped(hostile).slice(0, 4_000)),
      ),
    },
  )
  .map(
    ([name, value]): Mutation =>
      (draft) => {
        const { [name]: _, ...headers } = draft.headers;
        const credential = name === 'authorization' ? 'none' : draft.credential;
        return { ...draft, credential, headers: value === undefined ? headers : { ...headers, [name]: value } };
      },
  );

/** Mutations of parts that the request has are more frequent. */
export function mutationsFor(has: { params: boolean; query: boolean; body: boolean }): fc.Arbitrary<Mutation> {
  return fc.oneof(
    { weight: has.params ? 4 : 0, arbitrary: onParameter },
    { weight: has.query ? 6 : 1, arbitrary: onQuery },
    { weight: has.body ? 8 : 0, arbitrary: onValue },
    { weight: has.body ? 4 : 1, arbitrary: onBytes },
    { weight: 3, arbitrary: onHeader },
    { weight: 1, arbitrary: onPath },
    { weight: 1, arbitrary: onMethod },
  );
}
