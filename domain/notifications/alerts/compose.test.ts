import { alertKindNames, alertMoments, languages } from '@tributary/vocabulary';
import { expect, test } from 'vitest';
import { composeAlert } from './compose.ts';
import { words } from './texts.ts';

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

const mails = alertKindNames.flatMap((kind) =>
  alertMoments.flatMap((moment) => languages.map((language) => [kind, moment, language] as const)),
);

test.each(mails)('a mail about %s (%s) in %s has all its texts and says when', (kind, moment, language) => {
  const [since, endedAt] = [new Date('2026-06-15T12:00:00Z'), new Date('2026-07-16T13:30:00Z')];
  const { subject, text, html } = composeAlert(
    { kind, moment, language, since, endedAt: moment === 'ended' ? endedAt : null },
    { profileName: 'Shop', timeZone: 'UTC', pageUrl: () => 'https://t.test/p', stopUrl: 'https://t.test/stop' },
  );
  expect(subject).toMatch(/^Shop: \p{L}/u);
  const lines = text.split('\n\n').flatMap((paragraph) => paragraph.split('\n'));
  for (const line of lines) expect(line).toMatch(/^\p{L}/u);
  expect(html).not.toMatch(/<(h1|p|a)\b[^>]*>\s*<\/\1>/);
  const [, what = '', ...rest] = lines;
  const format = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });
  for (const at of moment === 'ended' ? [since, endedAt] : [since]) expect(what).toContain(format.format(at));
  // After it come the steps, if something is wrong, then the link and two lines about the mail itself.
  expect(rest.length > 3).toBe(moment === 'opened');
});

test('no two alert mails have the same subject or description', () => {
  const texts = mails.map(([kind, moment, language]) =>
    words[language].kinds[kind][moment]('', '', { hours: 1, minutes: 1 }),
  );
  expect(new Set(texts.map(({ title }) => title)).size).toBe(mails.length);
  expect(new Set(texts.map(({ what }) => what)).size).toBe(mails.length);
});
