import { z } from 'zod';

/** What a merchant gives by hand: the secret that the store signs webhooks with, and the token of a custom app. */
export const ShopifyCredentials = z.object({
  webhookSecret: z.string().nullable(),
  accessToken: z.string().nullable(),
});
export type ShopifyCredentials = z.infer<typeof ShopifyCredentials>;
