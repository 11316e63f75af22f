import { z } from 'zod';

export const HighlevelCredentials = z.object({
  accessToken: z.string(),
  /** Replaced at each use; valid for a year. */
  refreshToken: z.string(),
  expiresAt: z.string(),
  granted: z.array(z.string()),
  userType: z.enum(['Location', 'Company']),
  companyId: z.string(),
  /** Set if the consent covers one location only. */
  locationId: z.string().nullable(),
});
export type HighlevelCredentials = z.infer<typeof HighlevelCredentials>;
