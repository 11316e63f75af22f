import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { clientFor } from '../client.ts';
import { useMembership } from '../membership.ts';
import { t } from '../messages/index.ts';
import { saveFile } from '../parts/csv.ts';
import { Failed } from '../parts/page.tsx';
import { useReportScope } from '../report-scope.ts';

/** Exports all data stored about a customer as a file, for access requests, and links to the erasure form. */
export function PersonActions({ customerId }: { readonly customerId: string }) {
  const { scope, linkSearch } = useReportScope();
  const { isAdmin } = useMembership();
  const download = useMutation({ mutationFn: () => saveHeld(scope.profileId, customerId) });
  return (
    <div>
      <div className="flex flex-wrap gap-2">
        <button type="button" className="button" disabled={download.isPending} onClick={() => download.mutate()}>
          {download.isPending ? t.common.loadingMore : t.people.download}
        </button>
        {isAdmin && (
          <Link
            to="/p/$profileId/erasures"
            params={{ profileId: scope.profileId }}
            search={{ ...linkSearch, customer: customerId }}
            className="button inline-block"
          >
            {t.people.erase}
          </Link>
        )}
      </div>
      <Failed error={download.error} />
    </div>
  );
}

const pageSize = 1_000;

/** Joins all pages of the export. The file is named after our id, which has no meaning outside Tributary. */
async function saveHeld(profileId: string, id: string): Promise<void> {
  const lines: string[] = [];
  for (let offset = 0; ; offset += pageSize) {
    const query = { offset, limit: pageSize };
    const { data } = await clientFor(profileId).readCustomerExport({ params: { id }, query });
    lines.push(JSON.stringify(data));
    if (!data.has_next) break;
  }
  saveFile(`customer-${id}.jsonl`, `${lines.join('\n')}\n`, 'application/jsonl');
}
