import { expect, test } from 'vitest';
import { maskName } from './mask-name.ts';

test.each([
  ['leak.track@canary.example', '~email'],
  ['signed up: ana%40mail.example', '~email'],
  ['called +56 9 1234 5678', '~phone'],
  ['lead 912345678', '~phone'],
  ['12.345.678-5', '~national_id'],
  ['rut=12345678-5', '~national_id'],
  ['email: ana', '~email'],
  ['paid with 4111111111111111', '~token'],
  ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln', '~token'],
])('masks the name %s as %s', (name, masked) => {
  expect(maskName(name)).toBe(masked);
  expect(maskName(masked)).toBe(masked);
});

test.each([
  'lead_created',
  'Compra finalizada',
  'checkout_step_2_of_3',
  'CheckoutCompletedBlackFriday2026',
  'product_viewed_from_recommendations_carousel_variant_b',
  'añadir al carrito',
])('keeps the name %s', (name) => expect(maskName(name)).toBe(name));
