import { z } from 'zod';

/** Entered by the merchant: the store's webhook secret, and the token of a custom app. */
export const ShopifyCredentials = z.object({
  webhookSecret: z.string().nullable(),
  accessToken: z.string().nullable(),
});
export type ShopifyCredentials = z.infer<typeof ShopifyCredentials>;
