import { alertKindNames, languages } from '@tributary/vocabulary';
import { expect, test } from 'vitest';
import { composeAlert } from './compose.ts';

const pages = {
  tracker_silent: 'tracking',
  figures_late: 'overview',
  sync_failing: 'connections',
  duplicates_found: 'payment-matches',
} as const;

test.each(alertKindNames.flatMap((kind) => languages.map((language) => [kind, language] as const)))(
  'a %s mail in %s links to the page that shows the cause',
  (kind, language) => {
    const mail = { kind, language, moment: 'opened', since: new Date('2026-06-15T12:00:00Z'), endedAt: null } as const;
    const pageUrl = (page: string) => `https://t.test/p/1/${page}`;
    const { text, html } = composeAlert(mail, {
      profileName: 'Shop',
      timeZone: 'UTC',
      pageUrl,
      stopUrl: 'https://t.test/stop',
    });
    expect(text).toContain(`${pageUrl(pages[kind])}\n`);
    expect(html).toContain(`href="${pageUrl(pages[kind])}"`);
  },
);
