import { Link } from '@tanstack/react-router';
import { usePlace } from '../place.ts';

interface PersonLinkProps {
  readonly customerId: string;
  /** One of the person's, where it is at hand: it says who they are, also while nothing else does. */
  readonly conversion?: string;
  readonly title: string;
}

export function PersonLink({ customerId, conversion, title }: PersonLinkProps) {
  const { place, kept } = usePlace();
  return (
    <Link
      to="/p/$profileId/customers/$customerId"
      params={{ profileId: place.profileId, customerId }}
      search={{ ...kept, ...(conversion && { conversion }) }}
      className="break-words font-medium text-accent hover:underline"
    >
      {title}
    </Link>
  );
}
