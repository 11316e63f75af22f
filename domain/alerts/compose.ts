import { html } from '@tributary/pages';
import { type AlertKind, limits } from '@tributary/vocabulary';
import type { AlertMailRow } from './store.ts';
import { words } from './words.ts';

export interface About {
  readonly profileName: string;
  readonly timeZone: string;
  /** The address of a console page of the profile. */
  readonly pageUrl: (page: string) => string;
  readonly stopUrl: string;
}

/** Where one sees how it stands. */
const pages: Readonly<Record<AlertKind, string>> = {
  tracker_silent: 'tracking',
  figures_late: 'overview',
  sync_failing: 'connections',
  duplicates_found: 'payment-matches',
};

/** What a member is told: which profile, what, since when and what to do. It names nobody and has no figures. */
export function composeAlert(
  mail: Pick<AlertMailRow, 'kind' | 'moment' | 'since' | 'endedAt' | 'language'>,
  about: About,
) {
  const say = words[mail.language];
  const moment = new Intl.DateTimeFormat(say.locale, {
    dateStyle: 'medium',
    timeStyle: 'short',
    timeZone: about.timeZone,
  });
  const { title, what, todo } = say.kinds[mail.kind][mail.moment](
    moment.format(mail.since),
    moment.format(mail.endedAt ?? mail.since),
    { hours: limits.tracking.silentAfterHours, minutes: limits.alerts.lateAfterMinutes },
  );
  const subject = `${about.profileName}: ${title}`;
  const viewUrl = about.pageUrl(pages[mail.kind]);
  const why = say.why(about.profileName);
  return {
    subject,
    text: [subject, what, ...todo, `${say.open}: ${viewUrl}`, `${why}\n${say.stop}: ${about.stopUrl}`].join('\n\n'),
    html: html`<!doctype html><html lang="${mail.language}"><body style="font-family:system-ui,sans-serif;color:#1c1b19;max-width:640px">
<h1 style="font-size:20px;margin:0 0 12px">${subject}</h1>
${[what, ...todo].map((paragraph) => html`<p>${paragraph}</p>`)}
<p style="margin:24px 0"><a href="${viewUrl}">${say.open}</a></p>
<p style="font-size:12px;color:#5f5c57">${why} <a href="${about.stopUrl}">${say.stop}</a></p>
</body></html>`.text,
  };
}
