import { Link } from '@tanstack/react-router';
import { usePlace } from '../place.ts';
import { sharedLink } from '../shared-link.ts';
import { say } from '../words/index.ts';

/** In empty states: the way to the set-up checklist. Guests of a shared link have none. */
export function SetUpLink() {
  const { place, kept } = usePlace();
  if (sharedLink()) return null;
  return (
    <p className="mt-3">
      <Link to="/p/$profileId/set-up" params={{ profileId: place.profileId }} search={kept} className="button">
        {say.setUp.open}
      </Link>
    </p>
  );
}
