import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { clientFor } from '../client.ts';
import { localMoment, longDay } from '../format.ts';
import { t } from '../messages/index.ts';
import type { Column } from '../parts/columns.ts';
import { ConfirmButton } from '../parts/dialog.tsx';
import { Failed } from '../parts/page.tsx';
import { PagedTable } from '../parts/paged-table.tsx';
import { Empty } from '../parts/states.tsx';
import { creatorOf } from './creator.ts';
import { type SharedViewRow, sharedViewsQuery } from './queries.ts';

const pageTitles: Readonly<Record<SharedViewRow['page'], string>> = {
  overview: t.pages.overview,
  campaigns: t.pages.campaigns,
  platforms: t.pages.platforms,
  'top-ads': t.pages.topAds,
  cohorts: t.pages.cohorts,
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
      <h2 id="shared-links">{t.shared.title}</h2>
      <p className="label max-w-prose">{t.shared.listAbout}</p>
      <Failed error={revoke.error} />
      <PagedTable
        query={links}
        caption={t.shared.title}
        columns={columns}
        keyOf={({ id }) => id}
        empty={<Empty title={t.shared.none} />}
      />
    </section>
  );
}

const columnsOf = (revoke: (id: string) => void): Column<SharedViewRow>[] => [
  { id: 'name', title: t.common.name, value: ({ name }) => name, cell: ({ name }) => name },
  {
    id: 'page',
    title: t.shared.report,
    value: ({ page }) => pageTitles[page],
    cell: ({ page, date_from: from, date_to: to }) => (
      <>
        {pageTitles[page]}
        <span className="label block">{t.shared.days(longDay(from), longDay(to))}</span>
      </>
    ),
  },
  {
    id: 'creator',
    title: t.keys.createdBy,
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
    title: t.keys.expires,
    value: ({ expires_at: at }) => at,
    cell: ({ expires_at: at }) => (at ? localMoment(at) : t.keys.never),
  },
  {
    id: 'revoke',
    title: t.keys.revoke,
    value: () => null,
    cell: ({ id, name }) => (
      <ConfirmButton label={t.keys.revokeOf(name)} question={t.shared.revokeAsk(name)} onConfirm={() => revoke(id)}>
        {t.keys.revoke}
      </ConfirmButton>
    ),
  },
];
