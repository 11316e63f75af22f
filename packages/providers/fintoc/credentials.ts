import { z } from 'zod';

/** Fintoc returns the token only once, when the widget has been completed. */
export const FintocCredentials = z.object({ linkToken: z.string(), linkId: z.string() });
export type FintocCredentials = z.infer<typeof FintocCredentials>;
