import { OutboundRefused } from './errors.ts';
import { addressKind } from './public-address.ts';

/** Which targets may be asked. Injected, so that the one who weakens it must write that down where the process is wired. */
export interface TargetPolicy {
  readonly schemes: readonly ('https:' | 'http:')[];
  readonly ports: readonly number[] | 'any';
  /** Asked for every address of a host, and again for the peer of the open connection. */
  admits(address: string): boolean;
}

/** The default, and the only policy fit for production. */
export const publicTargets: TargetPolicy = {
  schemes: ['https:'],
  ports: [443],
  admits: (address) => addressKind(address) === 'public',
};

/**
 * For a developer's machine: a receiver on localhost or in the compose network. Link-local stays refused, so that this policy,
 * should it ever reach a cloud by mistake, does not hand out the machine's credentials.
 */
export const localDevelopmentTargets: TargetPolicy = {
  schemes: ['https:', 'http:'],
  ports: 'any',
  admits: (address) => addressKind(address) !== 'special',
};

/** A URL that keeps the rules a URL alone can keep. Its host is not vetted yet. */
export interface Target {
  readonly url: URL;
  /** As the URL parser normalised it, without the brackets of IPv6: a host name or one canonical IP address. */
  readonly hostname: string;
  readonly port: number;
  readonly secure: boolean;
}

/**
 * The URL is read once, here, and only the parsed form travels on: two parsers that disagree about where the host ends are the
 * oldest hole of this kind. The WHATWG parser also reduces every notation of an IPv4 address (0x7f.1, 2130706433, full-width
 * digits, percent-encoding) to the dotted one.
 */
export function readTarget(text: string, policy: TargetPolicy): Target {
  const url = URL.parse(text);
  if (url === null) throw new OutboundRefused('url_invalid');
  const secure = url.protocol === 'https:';
  if (!policy.schemes.some((scheme) => scheme === url.protocol)) throw new OutboundRefused('scheme_not_allowed');
  if (url.username !== '' || url.password !== '') throw new OutboundRefused('credentials_in_url');
  const port = url.port === '' ? (secure ? 443 : 80) : Number(url.port);
  if (policy.ports !== 'any' && !policy.ports.includes(port)) throw new OutboundRefused('port_not_allowed');
  return { url, hostname: url.hostname.replace(/^\[|\]$/g, ''), port, secure };
}
