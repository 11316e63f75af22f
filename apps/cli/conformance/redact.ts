/** Keys, tokens and signing secrets by their shape, and the fields that carry others. */
const shapes = /\b(trib_[a-z]+_|whsec_|trk_)[0-9A-Za-z+/=_-]{8,}/g;
const fields =
  /("(?:access_token|client_secret|token|secret|identify_secret|owner_invitation_url|url|start_url)":")([^"]{24,})(")/g;
const queries = /\b((?:client_secret|token|svc_t)=)[^&"\s]+/g;

/** A report is passed on, so no secret may be in it. */
export const redact = (text: string): string =>
  text.replace(shapes, '$1[redacted]').replace(fields, '$1[redacted]$3').replace(queries, '$1[redacted]');
