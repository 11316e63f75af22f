import { connect } from 'node:net';
import fc from 'fast-check';
import type { ReceivedResponse } from './check.ts';
import type { FuzzRequest } from './requests.ts';

/** A request that only raw bytes can express: broken framing, headers that client libraries never send, or a partial request. */
export interface SocketRequest {
  readonly request: FuzzRequest;
  readonly frame: Frame;
}

/** How a request is written. A whole one must get a response; after an incomplete one, the server may also just close the connection. */
interface Frame {
  readonly write: (parts: Parts) => string;
  readonly isWhole: boolean;
}

interface Parts {
  readonly line: string;
  readonly headers: readonly string[];
  readonly body: string;
}

const write = ({ line, headers, body }: Parts, end = '\r\n') => [line, ...headers, '', body].join(end);

function partsOf({ method, url, headers, body }: FuzzRequest): Parts {
  const sent = {
    Host: 'tributary.test',
    Connection: 'close',
    ...headers,
    ...(body && { 'Content-Length': String(body.length) }),
  };
  return {
    line: `${method} ${url} HTTP/1.1`,
    headers: Object.entries(sent).map(([name, value]) => `${name}: ${value}`),
    body: body?.toString('latin1') ?? '',
  };
}

type Write = Frame['write'];
const header =
  (...lines: string[]): Write =>
  (parts) =>
    write({ ...parts, headers: [...parts.headers, ...lines] });
const instead =
  (name: string, ...lines: string[]): Write =>
  (parts) =>
    write({ ...parts, headers: [...parts.headers.filter((line) => !line.startsWith(`${name}:`)), ...lines] });
const line =
  (change: (line: string) => string): Write =>
  (parts) =>
    write({ ...parts, line: change(parts.line) });
const chunked =
  (change: (body: string) => string): Write =>
  (parts) =>
    instead('Content-Length', 'Transfer-Encoding: chunked')({ ...parts, body: change(parts.body) });
const chunk = (body: string, extension = '') => `${body.length.toString(16)}${extension}\r\n${body}\r\n`;

const whole: readonly Write[] = [
  write,
  chunked((body) => `${body && chunk(body)}0\r\n\r\n`),
  chunked((body) => `${[...body].map((byte) => chunk(byte, ';a="b"')).join('')}0\r\nTrailer: x\r\n\r\n`),
  header('X-Twice: 1', 'X-Twice: 2', 'Authorization: Bearer x', 'Content-Type: text/plain', 'X-Request-Id: req_mine'),
  header(...Array.from({ length: 3_000 }, (_, index) => `X-${index}: ${index % 10}`)),
  header('Expect: 100-continue'),
  header('Upgrade: websocket', 'Connection: Upgrade'),
  header('X-Latin: \xe9\xff'),
];

const broken: readonly Write[] = [
  (parts) => write(parts, '\n'),
  (parts) => write(parts).slice(0, -5),
  (parts) => write(parts).slice(0, 30),
  () => '',
  () => '\r\n\r\n',
  () => '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  line((text) => text.replace('HTTP/1.1', 'HTTP/1.0')),
  line((text) => text.replace('HTTP/1.1', 'HTTP/9.9')),
  line((text) => text.replace(' HTTP/1.1', '')),
  line((text) => text.replace(/^\w+/, 'BREW')),
  line((text) => text.toLowerCase()),
  line((text) => text.replace(/^\w+ \S+/, 'OPTIONS *')),
  line((text) => text.replace(/^\w+ /, 'CONNECT ')),
  line((text) => text.replace(' /', ' http://evil.example/')),
  line((text) => text.replace(' /', ' ')),
  line((text) => text.replace(' HTTP', '\xff\xfe HTTP')),
  line((text) => text.replace(' HTTP', '\x00 HTTP')),
  line((text) => text.replace(' HTTP', ` ${'x'.repeat(100)} HTTP`)),
  line((text) => text.replace(' HTTP', `?${'x'.repeat(20_000)} HTTP`)),
  header(`X-Long: ${'x'.repeat(20_000)}`),
  header('X-Nul: \x00'),
  header('X Space: 1'),
  header(': nameless'),
  header('X-Fold: a\r\n b'),
  header('Expect: tea'),
  header('Content-Length: 5', 'Content-Length: 6'),
  header('Transfer-Encoding: chunked', 'Content-Length: 3'),
  header('Transfer-Encoding: gzip'),
  instead('Host'),
  instead('Host', 'Host: a', 'Host: b'),
  instead('Content-Length', 'Content-Length: 99999'),
  instead('Content-Length', 'Content-Length: 1'),
  instead('Content-Length', 'Content-Length: -1'),
  instead('Content-Length', 'Content-Length: 1e3'),
  instead('Content-Length', 'Content-Length: 99999999999999999999'),
  chunked((body) => chunk(body)),
  chunked(() => 'zz\r\nabc\r\n0\r\n\r\n'),
  chunked(() => 'ffffffffffffffff\r\nabc'),
  chunked((body) => `${chunk(body).replace(/\r\n$/, 'xx')}0\r\n\r\n`),
  chunked((body) => `${chunk(body, `;${'x'.repeat(20_000)}`)}0\r\n\r\n`),
];

/** Each is a valid request in a frame that may be broken. */
export function socketRequests(requests: fc.Arbitrary<FuzzRequest>): fc.Arbitrary<SocketRequest> {
  const frames = [
    ...whole.map((write) => ({ write, isWhole: true })),
    ...broken.map((write) => ({ write, isWhole: false })),
  ];
  return fc.record({ request: requests, frame: fc.constantFrom(...frames) });
}

/** The bytes as Latin-1 text. */
export const textOf = ({ request, frame }: SocketRequest): string => frame.write(partsOf(request));

/** Sends the bytes and reads until the server closes the connection. Rejects if it does not. */
export function exchange(port: number, from: string, text: string, isWhole: boolean): Promise<ReceivedResponse[]> {
  return new Promise((resolve, reject) => {
    // Connects from addresses in 127/8, because rate limits count by address.
    const localAddress = from.startsWith('10.') ? from.replace(/^10/, '127') : '127.0.0.1';
    const socket = connect({ port, host: '127.0.0.1', localAddress, allowHalfOpen: true });
    const received: Buffer[] = [];
    // Half-closes, so that the server stops waiting for the rest of a broken request.
    const rest = isWhole ? undefined : setTimeout(() => socket.end(), 500);
    // Longer than the server's own timeouts.
    socket.setTimeout(30_000, () => {
      socket.destroy();
      reject(new Error('the server neither responds nor closes the connection'));
    });
    socket.on('data', (bytes: Buffer) => received.push(bytes));
    // On a reset, the bytes received so far count.
    socket.on('error', () => {});
    socket.on('end', () => socket.end());
    socket.on('close', () => {
      clearTimeout(rest);
      resolve(parseResponses(Buffer.concat(received).toString('latin1')));
    });
    socket.write(Buffer.from(text, 'latin1'));
  });
}

function parseResponses(text: string): ReceivedResponse[] {
  const responses: ReceivedResponse[] = [];
  let remaining = text;
  while (remaining !== '') {
    const [head = '', ...rest] = remaining.split('\r\n\r\n');
    const [line = '', ...lines] = head.split('\r\n');
    const headers = Object.fromEntries(
      lines.map((one) => [one.slice(0, one.indexOf(':')).toLowerCase(), one.slice(one.indexOf(':') + 1).trim()]),
    );
    const after = rest.join('\r\n\r\n');
    // With HTTP/1.0 and no length, the body ends when the connection closes.
    const isUntilTheEnd = headers['content-length'] === undefined && headers.connection === 'close';
    const length = isUntilTheEnd ? after.length : Number(headers['content-length'] ?? 0);
    const [sent, following] = headers['transfer-encoding']
      ? unchunked(after)
      : [after.slice(0, length), after.slice(length)];
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(line)?.[1]);
    const body = Buffer.from(sent, 'latin1').toString();
    if (status !== 100) responses.push({ status, headers, body });
    remaining = following;
  }
  return responses;
}

/** Joins the chunks of a body, and returns the text after them. */
function unchunked(text: string): [body: string, rest: string] {
  let body = '';
  let remaining = text;
  for (;;) {
    const start = remaining.indexOf('\r\n') + 2;
    const size = Number.parseInt(remaining, 16);
    if (!size) return [body, remaining.slice(start + 2)];
    body += remaining.slice(start, start + size);
    remaining = remaining.slice(start + size + 2);
  }
}
