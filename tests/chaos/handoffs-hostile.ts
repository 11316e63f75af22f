/** Hostile return URLs, made of parts that browsers and servers parse differently. */

const good = 'app.example.com';
const evil = 'evil.example';

const schemes = [
  'https://',
  'http://',
  'HTTPS://',
  'https:',
  'https:/',
  'https:///',
  'https:\\\\',
  '//',
  '',
  'javascript:',
  'data:text/html,',
  'ftp://',
  'blob:https://',
  'https://\t',
  ' https://',
  'ws://',
  'myapp://',
  'view-source:https://',
];
const logins = ['', `${good}@`, `${good}:443@`, 'user:pass@', '@', '%40', `${good}%40`, ':@', `${good}\\@`];
const hosts = [
  good,
  evil,
  `${good}.${evil}`,
  `${evil}.${good}`,
  `${good}${evil}`,
  `${good}.`,
  'APP.EXAMPLE.COM',
  'app。example。com',
  'аpp.example.com',
  `${good}%00.${evil}`,
  `${evil}%2F${good}`,
  `${evil}\\${good}`,
  `${evil}#${good}`,
  `${evil}?${good}`,
  `${evil}/${good}`,
  '[::1]',
  '127.0.0.1',
  '2130706433',
  'localhost',
  `${good}\u0000`,
  `xn--pp-1ia.example.com`,
  `${good}\r\nlocation: https://${evil}`,
  `${good}\n.${evil}`,
  `${good};.${evil}`,
  `${good}&.${evil}`,
];
const ports = ['', ':443', ':80', ':8443', ':', ':0443', ':65536', ':443@evil.example', ':x'];
const paths = [
  '',
  '/',
  '/done',
  `/..//${evil}`,
  `//${evil}/`,
  `/\\${evil}`,
  `/%0d%0alocation:https://${evil}`,
  `?next=https://${evil}`,
  `#@${evil}`,
  '/@evil.example',
  `/;@${evil}`,
  '?a=1&status=success',
];

/** Advances each list at a different rate, so that few URLs already combine all kinds of parts. */
export function hostileUrl(index: number): string {
  const pick = (list: readonly string[], step: number) => list[Math.floor(index / step) % list.length] as string;
  return `${pick(schemes, 7)}${pick(logins, 3)}${pick(hosts, 1)}${pick(ports, 11)}${pick(paths, 5)}`;
}
