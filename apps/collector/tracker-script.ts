import { createHash } from 'node:crypto';

export interface TrackerScript {
  readonly text: string;
  readonly etag: string;
}

/** The browser script, as GET /t.js serves it. */
export function trackerScript(): TrackerScript {
  const text = 'window.tributary=window.tributary||function(){};';
  return { text, etag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"` };
}
