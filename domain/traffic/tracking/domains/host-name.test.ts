import { expect, test } from 'vitest';
import { foldHost, foldPublicHost } from './host-name.ts';

test.each([
  ['Shop.Example', 'shop.example'],
  ['  shop.example. ', 'shop.example'],
  ['https://WWW.Shop.example:8443/a?b#c', 'www.shop.example'],
  ['shop.example:3000', 'shop.example'],
  ['localhost:5173', 'localhost'],
  ['panadería.cl', 'xn--panadera-i2a.cl'],
  ['127.0.0.1', '127.0.0.1'],
  ['_acme.shop.cl', '_acme.shop.cl'],
])('the host of %s is %s', (text, host) => {
  expect(foldHost(text)).toBe(host);
});

test.each([
  '',
  ' ',
  'a b.cl',
  'a..cl',
  '-a.cl',
  'a-.cl',
  '*.shop.cl',
  'ftp://shop.cl',
  'shop.cl/path',
  'x@shop.cl',
  `${'a'.repeat(64)}.cl`,
  `${'a.'.repeat(130)}cl`,
  'https://',
  '<script>.cl',
  'shop\u0000.cl',
])('%j is not a host name', (text) => {
  expect(foldHost(text)).toBeUndefined();
});

test.each([
  ['Track.Shop.CL.', 'track.shop.cl'],
  ['métricas.panadería.com', 'xn--mtricas-bya.xn--panadera-i2a.com'],
])('%s is the public host %s', (text, host) => {
  expect(foldPublicHost(text)).toBe(host);
});

test.each([
  'localhost',
  'shop',
  '10.0.0.1',
  '2130706433',
  '0x7f.1',
  '[::1]',
  'db.internal',
  'printer.local',
  'a.localhost',
  'shop.example',
  'x.test',
  '1.0.0.127.in-addr.arpa',
  'https://track.shop.cl',
  'track.shop.cl:443',
  'user@track.shop.cl',
])('%s is not public', (text) => {
  expect(foldPublicHost(text)).toBeUndefined();
});
