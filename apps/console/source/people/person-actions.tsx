import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { clientFor } from '../client.ts';
import { useMembership } from '../membership.ts';
import { saveFile } from '../parts/csv.ts';
import { Failed } from '../parts/page.tsx';
import { usePlace } from '../place.ts';
import { say } from '../words/index.ts';

/** Everything that is held of somebody as a file, as they may ask for it, and the way to erase them. */
export function PersonActions({ customerId }: { readonly customerId: string }) {
  const { place, kept } = usePlace();
  const { isAdmin } = useMembership();
  const download = useMutation({ mutationFn: () => saveHeld(place.profileId, customerId) });
  return (
    <div>
      <div className="flex flex-wrap gap-2">
        <button type="button" className="button" disabled={download.isPending} onClick={() => download.mutate()}>
          {download.isPending ? say.common.loadingMore : say.people.download}
        </button>
        {isAdmin && (
          <Link
            to="/p/$profileId/erasures"
            params={{ profileId: place.profileId }}
            search={{ ...kept, customer: customerId }}
            className="button inline-block"
          >
            {say.people.erase}
          </Link>
        )}
      </div>
      <Failed error={download.error} />
    </div>
  );
}

const pageSize = 1_000;

/** All pages of the export one below the other; the file is called after our id, which says nothing of whom. */
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
