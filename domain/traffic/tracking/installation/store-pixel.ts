import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Installation } from './installation.ts';

const template = readFileSync(join(import.meta.dirname, 'store-pixel.script.js'), 'utf8');

/** The events of a Shopify store to which the script subscribes. */
export const storeEvents = [
  'page_viewed',
  'product_viewed',
  'collection_viewed',
  'search_submitted',
  'cart_viewed',
  'product_added_to_cart',
  'product_removed_from_cart',
  'checkout_started',
  'payment_info_submitted',
  'checkout_completed',
];

/** Inserts key and origin without escaping: both were validated when stored and contain no quotes. */
export const storePixelScript = ({ key, origin }: Installation): string =>
  template.replace('__KEY__', () => key).replace('__COLLECTOR__', () => origin);
