import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { definitions } from '../fields.ts';
import { usePlace } from '../place.ts';
import { goalsQuery } from '../queries.ts';
import { sharedLink } from '../shared-link.ts';
import { say } from '../words/index.ts';

/** How far back touches count, as the goals say it, and the way to where they do. */
export function AttributionWindow() {
  const { place, kept } = usePlace();
  // Whoever opened a link sees its figures, and no settings.
  const { data } = useQuery({ ...goalsQuery(place.profileId), enabled: sharedLink() === undefined });
  const [shortest, longest] = [data?.windows.at(0), data?.windows.at(-1)];
  if (shortest === undefined) return null;
  const about = `${definitions.window} ${say.models.windowIsSet}`;
  return (
    <Link
      to="/p/$profileId/goals"
      params={{ profileId: place.profileId }}
      search={kept}
      className="label underline decoration-dotted underline-offset-2 hover:text-ink"
      title={about}
      aria-description={about}
    >
      {say.models.window(shortest === longest ? shortest : say.models.fromTo(shortest, longest ?? shortest))}
    </Link>
  );
}
