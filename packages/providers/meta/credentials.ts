import { z } from 'zod';

export const MetaCredentials = z.object({
  accessToken: z.string(),
  /** Null: a system user's token, which does not expire. There is no refresh; after expiry only a new consent helps. */
  expiresAt: z.string().nullable(),
  granted: z.array(z.string()),
});
export type MetaCredentials = z.infer<typeof MetaCredentials>;
