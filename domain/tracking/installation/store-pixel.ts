import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Installation } from './installation.ts';

const template = readFileSync(join(import.meta.dirname, 'store-pixel.script.js'), 'utf8');

/** What a Shopify store tells its pixels of, and the script reports. */
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

/** Key and address hold nothing that would end a text in quotes; both were checked when they came in. */
export const storePixelScript = ({ key, origin }: Installation): string =>
  template.replace('__KEY__', () => key).replace('__COLLECTOR__', () => origin);
