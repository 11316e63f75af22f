import { createHash } from 'node:crypto';
import { trackerScript } from '@tributary/tracker';

/** The browser script, as GET /t.js serves it. */
export const script = {
  text: trackerScript,
  etag: `"${createHash('sha256').update(trackerScript).digest('base64url').slice(0, 22)}"`,
} as const;
