import { Link } from '@tanstack/react-router';
import { useReportScope } from '../report-scope.ts';

interface PersonLinkProps {
  readonly customerId: string;
  /** A conversion of the customer, where known: it identifies customers who have no identifier. */
  readonly conversion?: string;
  readonly title: string;
}

export function PersonLink({ customerId, conversion, title }: PersonLinkProps) {
  const { scope, linkSearch } = useReportScope();
  return (
    <Link
      to="/p/$profileId/customers/$customerId"
      params={{ profileId: scope.profileId, customerId }}
      search={{ ...linkSearch, ...(conversion && { conversion }) }}
      className="break-words font-medium text-accent hover:underline"
    >
      {title}
    </Link>
  );
}
