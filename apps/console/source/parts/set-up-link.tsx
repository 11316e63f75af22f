import { Link } from '@tanstack/react-router';
import { t } from '../messages/index.ts';
import { useReportScope } from '../report-scope.ts';
import { sharedLink } from '../shared-link.ts';

/** Links from empty states to the set-up checklist. Readers of a shared link do not see it. */
export function SetUpLink() {
  const { scope, linkSearch } = useReportScope();
  if (sharedLink()) return null;
  return (
    <p className="mt-3">
      <Link to="/p/$profileId/set-up" params={{ profileId: scope.profileId }} search={linkSearch} className="button">
        {t.setUp.open}
      </Link>
    </p>
  );
}
