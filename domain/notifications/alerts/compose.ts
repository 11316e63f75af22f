import { html } from '@tributary/pages';
import { type AlertKind, limits } from '@tributary/vocabulary';
import type { AlertMailRow } from './store.ts';
import { words } from './texts.ts';

export interface About {
  readonly profileName: string;
  readonly timeZone: string;
  /** The URL of a console page of the profile. */
  readonly pageUrl: (page: string) => string;
  readonly stopUrl: string;
}

/** The console page that shows the cause. */
const pages: Readonly<Record<AlertKind, string>> = {
  tracker_silent: 'tracking',
  figures_late: 'overview',
  sync_failing: 'connections',
  duplicates_found: 'payment-matches',
};

/** Composes a mail with profile, cause, start time and what to do. Contains no personal data and no figures. */
export function composeAlert(
  mail: Pick<AlertMailRow, 'kind' | 'moment' | 'since' | 'endedAt' | 'language'>,
  about: About,
) {
  const t = words[mail.language];
  const moment = new Intl.DateTimeFormat(t.locale, {
    dateStyle: 'medium',
    timeStyle: 'short',
    timeZone: about.timeZone,
  });
  const { title, what, todo } = t.kinds[mail.kind][mail.moment](
    moment.format(mail.since),
    moment.format(mail.endedAt ?? mail.since),
    { hours: limits.tracking.silentAfterHours, minutes: limits.alerts.lateAfterMinutes },
  );
  const subject = `${about.profileName}: ${title}`;
  const viewUrl = about.pageUrl(pages[mail.kind]);
  const why = t.why(about.profileName);
  return {
    subject,
    text: [subject, what, ...todo, `${t.open}: ${viewUrl}`, `${why}\n${t.stop}: ${about.stopUrl}`].join('\n\n'),
    html: html`<!doctype html><html lang="${mail.language}"><body style="font-family:system-ui,sans-serif;color:#1c1b19;max-width:640px">
<h1 style="font-size:20px;margin:0 0 12px">${subject}</h1>
${[what, ...todo].map((paragraph) => html`<p>${paragraph}</p>`)}
<p style="margin:24px 0"><a href="${viewUrl}">${t.open}</a></p>
<p style="font-size:12px;color:#5f5c57">${why} <a href="${about.stopUrl}">${t.stop}</a></p>
</body></html>`.text,
  };
}
