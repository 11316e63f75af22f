import type { Role } from './access.ts';
import { limits } from './limits.ts';
import { namesOf } from './names-of.ts';

/** The alerts that members receive by default: what happened, and what to do. */
export const alertKinds = {
  tracker_silent: `Visits came before, and none has come for ${limits.tracking.silentAfterHours} hours, and for half as long again as the longest pause of the last weeks. Look whether the tracker is still on the site. It ends with the next visit, or when the tracking key is revoked.`,
  figures_late: `What was recorded has been waiting for more than ${limits.alerts.lateAfterMinutes} minutes to be counted in reports. Nothing is lost and there is nothing to send again: whoever operates the server looks after it. It ends when reports show everything.`,
  sync_failing: `A connected account has not been read for more than ${limits.alerts.syncFailingAfterMinutes} minutes, because every attempt failed. Read \`sync.last_error\` of the connection, which names the cause and what to do. The sync is retried automatically unless the account has to be connected again. It ends with the next successful sync, or when the account is disconnected.`,
  duplicates_found: `Two sources report the same payments. Each sale is counted once until a member decides: \`GET /sale-sources\` shows the sources and their overlap, \`GET /sale-matches\` the pairs. It ends when the source that was added last has a decision, is excluded or stops overlapping. Where two sources overlap only now and then, it opens when duplicates are more than ${limits.sales.noticedShare * 100}% of a day’s cash for the first time, and ends after ${limits.sales.noticedDays} days or with the first decision on a match.`,
} as const;
export type AlertKind = keyof typeof alertKinds;
export const alertKindNames = namesOf(alertKinds);

/** The moments at which subscribers are notified of an alert. */
export const alertMoments = ['opened', 'ended'] as const;
export type AlertMoment = (typeof alertMoments)[number];

/** Members who receive alerts by e-mail unless they opt out. */
export const alertedRoles: readonly Role[] = ['owner', 'admin'];
