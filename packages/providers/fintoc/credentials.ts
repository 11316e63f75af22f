import { z } from 'zod';

/** Fintoc shows the token once, when the person has ended the widget. */
export const FintocCredentials = z.object({ linkToken: z.string(), linkId: z.string() });
export type FintocCredentials = z.infer<typeof FintocCredentials>;
