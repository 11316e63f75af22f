import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { definitions } from '../fields.ts';
import { t } from '../messages/index.ts';
import { goalsQuery } from '../queries.ts';
import { useReportScope } from '../report-scope.ts';
import { sharedLink } from '../shared-link.ts';

/** The attribution window of the goals, with a link to where it is set. */
export function AttributionWindow() {
  const { scope, linkSearch } = useReportScope();
  // Readers of a shared link see its figures and no settings.
  const { data } = useQuery({ ...goalsQuery(scope.profileId), enabled: sharedLink() === undefined });
  const [shortest, longest] = [data?.windows.at(0), data?.windows.at(-1)];
  if (shortest === undefined) return null;
  const about = `${definitions.window} ${t.models.windowIsSet}`;
  return (
    <Link
      to="/p/$profileId/goals"
      params={{ profileId: scope.profileId }}
      search={linkSearch}
      className="label underline decoration-dotted underline-offset-2 hover:text-ink"
      title={about}
      aria-description={about}
    >
      {t.models.window(shortest === longest ? shortest : t.models.fromTo(shortest, longest ?? shortest))}
    </Link>
  );
}
