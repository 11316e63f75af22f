import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';

/**
 * Top-level names without meaning on the public internet: those of RFC 6761 and its successors, and common private
 * ones.
 */
const privateEndings = ['alt', 'arpa', 'example', 'internal', 'invalid', 'lan', 'local', 'localhost', 'onion', 'test'];

const label = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/;

/** Normalises a host name, or the host of a URL: lower case, punycode, no trailing dot. */
export function foldHost(text: string): string | undefined {
  const bare = text.trim();
  const name = /^https?:\/\//i.test(bare) ? (URL.parse(bare)?.hostname ?? '') : bare.replace(/:\d{1,5}$/, '');
  // domainToASCII would accept a URL up to these characters and silently drop the rest.
  const host = (/[/?#@\\]/.test(name) ? '' : domainToASCII(name)).replace(/\.$/, '');
  return host.length <= 253 && host.split('.').every((part) => label.test(part)) ? host : undefined;
}

/** Normalises a host name that can exist in public DNS. */
export function foldPublicHost(text: string): string | undefined {
  const host = /[/:@]/.test(text) ? undefined : foldHost(text);
  if (!host?.includes('.') || isIP(host) !== 0) return undefined;
  return privateEndings.some((ending) => host.endsWith(`.${ending}`)) ? undefined : host;
}
