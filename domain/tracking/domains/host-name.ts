import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';

/** Names that mean nothing on the public internet: RFC 6761 and its followers, and what networks use among themselves. */
const privateEndings = ['alt', 'arpa', 'example', 'internal', 'invalid', 'lan', 'local', 'localhost', 'onion', 'test'];

const label = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/;

/** A host as it is compared everywhere: lower case, punycode, no dot at the end. Also out of a whole address. */
export function foldHost(text: string): string | undefined {
  const bare = text.trim();
  const name = /^https?:\/\//i.test(bare) ? (URL.parse(bare)?.hostname ?? '') : bare.replace(/:\d{1,5}$/, '');
  // It would read an address up to here, and silently leave out the rest.
  const host = (/[/?#@\\]/.test(name) ? '' : domainToASCII(name)).replace(/\.$/, '');
  return host.length <= 253 && host.split('.').every((part) => label.test(part)) ? host : undefined;
}

/** A host name that DNS may know everywhere. */
export function foldPublicHost(text: string): string | undefined {
  const host = /[/:@]/.test(text) ? undefined : foldHost(text);
  if (!host?.includes('.') || isIP(host) !== 0) return undefined;
  return privateEndings.some((ending) => host.endsWith(`.${ending}`)) ? undefined : host;
}
