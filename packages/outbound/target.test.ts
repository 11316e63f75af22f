import { describe, expect, test } from 'vitest';
import { OutboundRefused } from './errors.ts';
import { localDevelopmentTargets, publicTargets, readTarget } from './target.ts';

function refusal(url: string, policy = publicTargets): string | undefined {
  try {
    readTarget(url, policy);
    return undefined;
  } catch (error) {
    if (error instanceof OutboundRefused) return error.reason;
    throw error;
  }
}

describe('readTarget', () => {
  test.each([
    ['', 'url_invalid'],
    ['hooks.example.com/path', 'url_invalid'],
    ['//hooks.example.com', 'url_invalid'],
    ['https://', 'url_invalid'],
    ['https://[fe80::1%25eth0]/', 'url_invalid'],
    ['https://[fe80::1%eth0]/', 'url_invalid'],
    ['https://256.256.256.256/', 'url_invalid'],
    ['https://4294967296/', 'url_invalid'],
    ['https://example.com:99999/', 'url_invalid'],
    ['http://example.com/', 'scheme_not_allowed'],
    ['ftp://example.com/', 'scheme_not_allowed'],
    ['file:///etc/passwd', 'scheme_not_allowed'],
    ['gopher://127.0.0.1:6379/_FLUSHALL', 'scheme_not_allowed'],
    ['wss://example.com/', 'scheme_not_allowed'],
    ['blob:https://example.com/1', 'scheme_not_allowed'],
    ['javascript:alert(1)', 'scheme_not_allowed'],
    ['https://user@example.com/', 'credentials_in_url'],
    ['https://user:secret@example.com/', 'credentials_in_url'],
    ['https://:secret@example.com/', 'credentials_in_url'],
    ['https://example.com@10.0.0.1/', 'credentials_in_url'],
    ['https://example.com:80/', 'port_not_allowed'],
    ['https://example.com:0/', 'port_not_allowed'],
    ['https://example.com:8443/', 'port_not_allowed'],
  ])('refuses %s with %s', (url, reason) => {
    expect(refusal(url)).toBe(reason);
  });

  test.each([
    ['https://EXAMPLE.com', 'example.com'],
    ['https://example.com:443/', 'example.com'],
    ['https://example.com./', 'example.com.'],
    ['https://2130706433/', '127.0.0.1'],
    ['https://0x7f000001/', '127.0.0.1'],
    ['https://017700000001/', '127.0.0.1'],
    ['https://127.1/', '127.0.0.1'],
    ['https://0177.0x0.1/', '127.0.0.1'],
    ['https://127.0.0.0x/', '127.0.0.0'],
    ['https://127.0.0.1./', '127.0.0.1'],
    ['https://%31%32%37.0.0.1/', '127.0.0.1'],
    ['https://１２７。０．０｡１/', '127.0.0.1'],
    ['https://①②⑦.0.0.1/', '127.0.0.1'],
    ['https:\\\\127.0.0.1\\', '127.0.0.1'],
    ['https://10.0.0.1\\@example.com/', '10.0.0.1'],
    ['https://[::FFFF:127.0.0.1]/', '::ffff:7f00:1'],
    ['https://[0:0::1]/', '::1'],
  ])('parses %s to the host %s', (url, hostname) => {
    expect(readTarget(url, publicTargets)).toMatchObject({ hostname, port: 443, secure: true });
  });

  test('local development permits http and any port, but no credentials and no other scheme', () => {
    expect(readTarget('http://localhost:3000/', localDevelopmentTargets)).toMatchObject({ port: 3000, secure: false });
    expect(readTarget('http://localhost/', localDevelopmentTargets)).toMatchObject({ port: 80, secure: false });
    expect(refusal('http://a:b@localhost/', localDevelopmentTargets)).toBe('credentials_in_url');
    expect(refusal('ftp://localhost/', localDevelopmentTargets)).toBe('scheme_not_allowed');
  });

  test('local development admits this machine and private networks, never the metadata address', () => {
    const admitted = ['127.0.0.1', '::1', '172.18.0.5', 'fd00::1', '8.8.8.8', '169.254.169.254', '168.63.129.16'];
    expect(admitted.filter((address) => localDevelopmentTargets.admits(address))).toEqual(admitted.slice(0, 5));
    expect(admitted.filter((address) => publicTargets.admits(address))).toEqual(['8.8.8.8']);
  });
});
