import { getRouteApi, Link } from '@tanstack/react-router';
import { words } from '../format.ts';
import { useMembership } from '../membership.ts';
import { t } from '../messages/index.ts';
import { Empty } from '../parts/states.tsx';
import { useTitle } from '../parts/use-title.ts';
import { useReportScope } from '../report-scope.ts';
import { ErasureForm } from './erasure-form.tsx';
import { ErasureReceipt } from './erasure-receipt.tsx';
import { ErasureReceipts } from './erasure-receipts.tsx';

const route = getRouteApi('/p/$profileId/erasures');

/** Erases a customer, for owners and admins, and shows the receipt, whose id is in the URL. */
export function Erasures() {
  useTitle(t.people.eraseCustomer);
  const { receipt, customer } = route.useSearch();
  const { scope, linkSearch } = useReportScope();
  const { isAdmin, workspaceId, role } = useMembership();
  return (
    <>
      <h1 className="mb-4">{t.people.eraseCustomer}</h1>
      {receipt ? (
        <>
          <ErasureReceipt erasureId={receipt} />
          {isAdmin && (
            <Link
              to="/p/$profileId/erasures"
              params={{ profileId: scope.profileId }}
              search={linkSearch}
              className="mt-4 inline-block text-accent hover:underline"
            >
              {t.erasures.somebodyElse}
            </Link>
          )}
        </>
      ) : isAdmin && workspaceId ? (
        <ErasureForm key={customer} workspaceId={workspaceId} customerId={customer} />
      ) : (
        <Empty title={t.erasures.onlyAdmins}>
          {t.people.youAreHere} {role ? words(role).toLowerCase() : t.people.aGuest}
          {t.erasures.askAdmin}
        </Empty>
      )}
      {!receipt && isAdmin && <ErasureReceipts />}
    </>
  );
}
