import { execFileSync } from 'node:child_process';

export interface Certificate {
  readonly key: string;
  /** Self-signed, so it is its own certificate authority too. */
  readonly cert: string;
}

/** Created with the openssl command for each run: a key in the repository would expire and alarm secret scanners. */
export function makeCertificate(...names: readonly string[]): Certificate {
  const pem = execFileSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'],
      ...['-subj', '/CN=Tributary test', '-addext', `subjectAltName=${names.join(',')}`, '-keyout', '-', '-out', '-'],
    ],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
  );
  const block = (kind: string) =>
    new RegExp(`-----BEGIN ${kind}-----[^]+?-----END ${kind}-----\n`).exec(pem)?.[0] as string;
  return { key: block('PRIVATE KEY'), cert: block('CERTIFICATE') };
}
