import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { clientFor } from '../client.ts';
import { localMoment, longDay } from '../format.ts';
import type { Column } from '../parts/columns.ts';
import { ConfirmButton } from '../parts/dialog.tsx';
import { Failed } from '../parts/page.tsx';
import { PagedTable } from '../parts/paged-table.tsx';
import { Empty } from '../parts/states.tsx';
import { say } from '../messages/index.ts';
import { creatorOf } from './creator.ts';
import { type SharedViewRow, sharedViewsQuery } from './queries.ts';

const pageTitles: Readonly<Record<SharedViewRow['page'], string>> = {
  overview: say.pages.overview,
  campaigns: say.pages.campaigns,
  platforms: say.pages.platforms,
  'top-ads': say.pages.topAds,
  cohorts: say.pages.cohorts,
};

/** The shared links to reports of the profile and their expiry. */
export function SharedLinks({ profileId }: { readonly profileId: string }) {
  const queryClient = useQueryClient();
  const links = useInfiniteQuery(sharedViewsQuery(profileId));
  const revoke = useMutation({
    mutationFn: (id: string) => clientFor(profileId).deleteSharedView({ params: { id } }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: sharedViewsQuery(profileId).queryKey }),
  });
  const { mutate } = revoke;
  const columns = useMemo(() => columnsOf(mutate), [mutate]);
  return (
    <section className="grid gap-3" aria-labelledby="shared-links">
      <h2 id="shared-links">{say.shared.title}</h2>
      <p className="label max-w-prose">{say.shared.listAbout}</p>
      <Failed error={revoke.error} />
      <PagedTable
        query={links}
        caption={say.shared.title}
        columns={columns}
        keyOf={({ id }) => id}
        empty={<Empty title={say.shared.none} />}
      />
    </section>
  );
}

const columnsOf = (revoke: (id: string) => void): Column<SharedViewRow>[] => [
  { id: 'name', title: say.common.name, value: ({ name }) => name, cell: ({ name }) => name },
  {
    id: 'page',
    title: say.shared.report,
    value: ({ page }) => pageTitles[page],
    cell: ({ page, date_from: from, date_to: to }) => (
      <>
        {pageTitles[page]}
        <span className="label block">{say.shared.days(longDay(from), longDay(to))}</span>
      </>
    ),
  },
  {
    id: 'creator',
    title: say.keys.createdBy,
    value: ({ created_by: by }) => creatorOf(by),
    cell: ({ created_by: by }) => (
      <>
        {creatorOf(by)}
        {by?.email && <span className="label block break-all">{by.email}</span>}
      </>
    ),
  },
  {
    id: 'expires',
    title: say.keys.expires,
    value: ({ expires_at: at }) => at,
    cell: ({ expires_at: at }) => (at ? localMoment(at) : say.keys.never),
  },
  {
    id: 'revoke',
    title: say.keys.revoke,
    value: () => null,
    cell: ({ id, name }) => (
      <ConfirmButton label={say.keys.revokeOf(name)} question={say.shared.revokeAsk(name)} onConfirm={() => revoke(id)}>
        {say.keys.revoke}
      </ConfirmButton>
    ),
  },
];
