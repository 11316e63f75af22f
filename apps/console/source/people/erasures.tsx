import { getRouteApi, Link } from '@tanstack/react-router';
import { useMembership } from '../membership.ts';
import { Empty } from '../parts/states.tsx';
import { useTitle } from '../parts/use-title.ts';
import { usePlace } from '../place.ts';
import { ErasureForm } from './erasure-form.tsx';
import { ErasureReceipt } from './erasure-receipt.tsx';
import { ErasureReceipts } from './erasure-receipts.tsx';

const route = getRouteApi('/p/$profileId/erasures');

/** Erasing somebody, for owners and admins, and the receipt, which stands in the address. */
export function Erasures() {
  useTitle('Erase a customer');
  const { receipt } = route.useSearch();
  const { place, kept } = usePlace();
  const { mayErase, workspaceId, role } = useMembership();
  return (
    <>
      <h1 className="mb-4">Erase a customer</h1>
      {receipt ? (
        <>
          <ErasureReceipt erasureId={receipt} />
          {mayErase && (
            <Link
              to="/p/$profileId/erasures"
              params={{ profileId: place.profileId }}
              search={kept}
              className="mt-4 inline-block text-accent hover:underline"
            >
              Erase somebody else
            </Link>
          )}
        </>
      ) : mayErase && workspaceId ? (
        <ErasureForm workspaceId={workspaceId} />
      ) : (
        <Empty title="Only owners and admins erase customers">
          You are here as {role ?? 'a guest'}. Ask an owner or admin of the workspace.
        </Empty>
      )}
      {!receipt && mayErase && <ErasureReceipts />}
    </>
  );
}
