import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** Chromium as Debian has it: without windows, which opens a page in half the time, or else the whole. */
const withoutWindows = '/usr/bin/chromium-headless-shell';
const program = existsSync(withoutWindows) ? withoutWindows : '/usr/bin/chromium';

/** A browser that asks nobody for anything by itself. Names under .test, and one under .co.uk, lead to this machine. */
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
