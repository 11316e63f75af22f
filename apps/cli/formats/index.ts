import type { Format } from './format.ts';
import { ga4 } from './ga4.ts';
import { matomo } from './matomo.ts';
import { posthog } from './posthog.ts';
import { shopify } from './shopify.ts';

/** The formats that `tributary import outcomes --format` accepts. */
export const formats: Readonly<Record<string, Format>> = { shopify, ga4, posthog, matomo };
export { type Format, type Rename, readRename } from './format.ts';
