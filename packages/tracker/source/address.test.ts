import { expect, test } from 'vitest';
import { pageOf, takeReserved } from './address.ts';

test.each([
  ['https://a.example/', 'https://a.example/', undefined, undefined],
  ['https://a.example/?svc_t=T', 'https://a.example/', 'T', undefined],
  ['https://a.example/?x=1&svc_t=T', 'https://a.example/?x=1', 'T', undefined],
  ['https://a.example/?svc_t=T&x=1', 'https://a.example/?x=1', 'T', undefined],
  ['https://a.example/?x=1&svc_t=T&y=2', 'https://a.example/?x=1&y=2', 'T', undefined],
  ['https://a.example/?svc_t=T&svc_v=V', 'https://a.example/', 'T', 'V'],
  ['https://a.example/?svc_v=V&svc_t=T&x=1#part', 'https://a.example/?x=1#part', 'T', 'V'],
  ['https://a.example/?svc_t=T#part', 'https://a.example/#part', 'T', undefined],
  ['https://a.example/#/offer?svc_t=T', 'https://a.example/#/offer', 'T', undefined],
  ['https://a.example/?svc_t=first&svc_t=second', 'https://a.example/', 'first', undefined],
  ['https://a.example/?svc_t=a%3D%3D', 'https://a.example/', 'a==', undefined],
  ['https://a.example/?svc_t=%E0%A4%A', 'https://a.example/', '%E0%A4%A', undefined],
  ['https://a.example/?svc_t=$&$1', 'https://a.example/?$1', '$', undefined],
  ['https://a.example/?svc_t', 'https://a.example/', '', undefined],
  ['https://a.example/?x&svc_type=3&svc_t', 'https://a.example/?x&svc_type=3', '', undefined],
  ['https://a.example/?svc_type=3&my_svc_t=4', 'https://a.example/?svc_type=3&my_svc_t=4', undefined, undefined],
  ['https://a.example/?q=a+b%20c&svc_t=T&e=%C3%B1&&z', 'https://a.example/?q=a+b%20c&e=%C3%B1&&z', 'T', undefined],
])('the address %s becomes %s', (url, rest, t, v) => {
  expect(takeReserved(url)).toEqual({ url: rest, ...(t !== undefined && { t }), ...(v !== undefined && { v }) });
});

test.each([
  ['https://a.example/x?utm_source=s&gclid=g', 'https://a.example/x?utm_source=s&gclid=g'],
  ['https://a.example/x#part', 'https://a.example/x'],
  ['https://a.example/#access_token=secret', 'https://a.example/'],
  ['https://a.example/#/cart?step=2', 'https://a.example/#/cart?step=2'],
  ['https://a.example/#!/cart', 'https://a.example/#!/cart'],
  ['https://user:pass@a.example/?svc_t=T', 'https://a.example/'],
])('the page URL of %s is %s', (url, page) => {
  expect(pageOf(new URL(url))).toBe(page);
});
