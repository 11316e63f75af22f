/** Patterns of keys, tokens and signing secrets, and the fields that contain other secrets. */
const shapes = /\b(trib_[a-z]+_|whsec_|trk_)[0-9A-Za-z+/=_-]{8,}/g;
const fields =
  /("(?:access_token|client_secret|token|secret|identify_secret|owner_invitation_url|url|start_url)":")([^"]{24,})(")/g;
const queries = /\b((?:client_secret|token|svc_t)=)[^&"\s]+/g;

/** Reports are shared, so they must not contain secrets. */
export const redact = (text: string): string =>
  text.replace(shapes, '$1[redacted]').replace(fields, '$1[redacted]$3').replace(queries, '$1[redacted]');
