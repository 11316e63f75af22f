import { expect, test } from 'vitest';
import { readSettings } from './settings.ts';

const page = 'https://shop.example/cart/pay?x=1';
const settings = (src: string, attributes: Record<string, string> = {}) =>
  readSettings({ src, getAttribute: (name) => attributes[name] ?? null }, page);

test.each([
  ['https://collect.example/t.js', undefined, 'https://collect.example/v1/visits'],
  ['https://collect.example/t.js?v=2', undefined, 'https://collect.example/v1/visits'],
  ['https://shop.example/t/t.js', undefined, 'https://shop.example/t/v1/visits'],
  ['https://cdn.example/t.js', 'https://collect.example', 'https://collect.example/v1/visits'],
  ['https://cdn.example/t.js', 'https://collect.example/', 'https://collect.example/v1/visits'],
  ['https://cdn.example/t.js', '/t', 'https://shop.example/t/v1/visits'],
  ['https://cdn.example/t.js', '/', 'https://shop.example/v1/visits'],
  ['', '/t/', 'https://shop.example/t/v1/visits'],
])('a script from %s with data-collector %s sends to %s', (src, collector, endpoint) => {
  expect(settings(src, collector ? { 'data-collector': collector } : {}).endpoint).toBe(endpoint);
});

test('page views are automatic and consent is not required by default', () => {
  expect(settings(page, { 'data-key': 'trk_a' })).toMatchObject({ key: 'trk_a', consentRequired: false, auto: true });
  expect(settings(page, { 'data-consent': 'required', 'data-auto': 'false' })).toMatchObject({
    key: '',
    consentRequired: true,
    auto: false,
  });
});
