import { OutboundRefused } from './errors.ts';
import { addressKind } from './public-address.ts';

/** The targets that requests may reach. It is injected, so that every exception is visible where the process is wired. */
export interface TargetPolicy {
  readonly schemes: readonly ('https:' | 'http:')[];
  readonly ports: readonly number[] | 'any';
  /** Called for every address of a host, and again for the peer of the open connection. */
  admits(address: string): boolean;
}

/** The default, and the only policy for production. */
export const publicTargets: TargetPolicy = {
  schemes: ['https:'],
  ports: [443],
  admits: (address) => addressKind(address) === 'public',
};

/**
 * For a developer's machine: a receiver on localhost or in the compose network. Link-local addresses stay refused, so that the policy does
 * not expose a machine's credentials if it reaches a cloud by mistake.
 */
export const localDevelopmentTargets: TargetPolicy = {
  schemes: ['https:', 'http:'],
  ports: 'any',
  admits: (address) => addressKind(address) !== 'special',
};

/** A URL that passed all checks that need no DNS. Its host is not vetted yet. */
export interface Target {
  readonly url: URL;
  /** The host as normalised by the URL parser, without IPv6 brackets: a host name or one canonical IP address. */
  readonly hostname: string;
  readonly port: number;
  readonly secure: boolean;
}

/**
 * The URL is parsed once, and only the parsed form is passed on. Two parsers that disagree about the end of the host are a classic SSRF
 * hole. The WHATWG parser also reduces every notation of an IPv4 address (0x7f.1, 2130706433, full-width digits, percent-encoding) to the
 * dotted one.
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
