import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { alertsQuery } from '../data/queries.ts';
import { ago } from '../format.ts';
import { t } from '../messages/index.ts';
import { useReportScope } from '../report-scope.ts';
import { sharedLink } from '../shared-link.ts';

/** The page that shows the cause, or where members decide. */
const links = {
  tracker_silent: { to: '/p/$profileId/set-up', title: t.alerts.check },
  sync_failing: { to: '/p/$profileId/connections', title: t.alerts.connections },
  duplicates_found: { to: '/p/$profileId/payment-matches', title: t.alerts.paymentMatches },
  figures_late: undefined,
} as const;

/** Current problems with the profile's data, and what to do about each. Empty when there are none, and for readers of a shared link. */
export function Alerts() {
  const { scope, linkSearch } = useReportScope();
  const { profileId } = scope;
  const { data: open = [] } = useQuery({ ...alertsQuery(profileId), enabled: !sharedLink() });
  if (open.length === 0) return null;
  return (
    <section aria-label={t.alerts.title} className="mb-5">
      <ul className="grid gap-3">
        {open.map(({ id, kind, since }) => (
          <li key={id} className="card border-problem p-4">
            <p className="font-semibold text-problem">{t.alerts[kind].title}</p>
            <p className="mt-1 max-w-prose">
              {t.alerts[kind].about(ago(since))}{' '}
              {links[kind] && (
                <Link to={links[kind].to} params={{ profileId }} search={linkSearch} className="text-accent underline">
                  {links[kind].title}
                </Link>
              )}
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}
