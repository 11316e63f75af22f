import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** Debian's Chromium: the headless shell opens a page in half the time; otherwise the full browser. */
const withoutWindows = '/usr/bin/chromium-headless-shell';
const program = existsSync(withoutWindows) ? withoutWindows : '/usr/bin/chromium';

/** A browser that makes no background requests. Names under .test, and one under .co.uk, resolve to this machine. */
export function openBrowser(...more: readonly string[]): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? program,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--host-resolver-rules=MAP *.test 127.0.0.1, MAP www.shop.co.uk 127.0.0.1',
      ...more,
    ],
  });
}
