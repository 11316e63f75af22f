import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { accountClient } from '../client.ts';
import { day } from '../format.ts';
import { t } from '../messages/index.ts';
import { ConfirmButton } from '../parts/dialog.tsx';
import { Failed, State } from '../parts/page.tsx';
import { Loading, Problem } from '../parts/states.tsx';
import { More } from '../people/more.tsx';
import { type Account, accountQuery } from '../queries.ts';
import { readReportSearch } from '../search.ts';
import { scopesOf } from '../vocabulary.ts';
import { DeleteByName } from './delete-by-name.tsx';
import { DeleteWorkspace } from './delete-workspace.tsx';
import { NewProfile } from './new-profile.tsx';
import { type WorkspaceProfile, workspaceProfilesQuery } from './queries.ts';

interface WorkspaceProfilesProps {
  readonly membership: Account['memberships'][number];
  /** The current profile; absent if the account has none. */
  readonly current?: string;
}

/** All profiles of a workspace, archived ones last, and the actions that the member's role allows. */
export function WorkspaceProfiles({ membership, current }: WorkspaceProfilesProps) {
  const { workspace_id: workspaceId, workspace_name: workspace, role } = membership;
  const profiles = useInfiniteQuery(workspaceProfilesQuery(workspaceId));
  const [isCreating, setCreating] = useState(false);
  const rows = profiles.data?.pages.flatMap(({ data }) => data) ?? [];
  const active = rows.filter(({ archived_at: at }) => at === null);
  const archived = rows.filter(({ archived_at: at }) => at !== null);
  return (
    <section aria-labelledby={`profiles-${workspaceId}`} className="card grid max-w-xl gap-4 p-5">
      <div className="flex flex-wrap items-start justify-between gap-3">
        <h2 id={`profiles-${workspaceId}`}>{t.profiles.title}</h2>
        {scopesOf[role].includes('profiles:write') && (
          <button type="button" className="button" onClick={() => setCreating(true)}>
            {t.profiles.add}
          </button>
        )}
      </div>
      <p className="text-soft">{t.profiles.about(workspace)}</p>
      {profiles.isError && <Problem error={profiles.error} again={() => void profiles.refetch()} />}
      {profiles.isPending && <Loading lines={2} />}
      <List title={t.profiles.title} rows={active} membership={membership} {...(current && { current })} />
      {archived.length > 0 && (
        <>
          <h3 className="label">{t.profiles.archived}</h3>
          <List title={t.profiles.archived} rows={archived} membership={membership} />
        </>
      )}
      <More query={profiles} />
      {role !== 'owner' && <p className="label">{t.profiles.onlyOwner}</p>}
      {role === 'owner' && <DeleteWorkspace membership={membership} />}
      {isCreating && <NewProfile workspaceId={workspaceId} profileId={current} onClose={() => setCreating(false)} />}
    </section>
  );
}

interface ListProps extends WorkspaceProfilesProps {
  readonly title: string;
  readonly rows: readonly WorkspaceProfile[];
}

const List = ({ title, rows, membership, current }: ListProps) => (
  <ul aria-label={title} className="grid gap-2">
    {rows.map((profile) => (
      <li
        key={profile.id}
        className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 border-line border-t pt-2 first:border-t-0 first:pt-0"
      >
        <Row profile={profile} membership={membership} isCurrent={profile.id === current} />
      </li>
    ))}
  </ul>
);

interface RowProps {
  readonly profile: WorkspaceProfile;
  readonly membership: Account['memberships'][number];
  readonly isCurrent: boolean;
}

function Row({ profile, membership, isCurrent }: RowProps) {
  const { id, name, time_zone: zone, reporting_currency: currency, archived_at: archivedAt } = profile;
  const { workspace_id: workspaceId, role } = membership;
  const [isDeleting, setDeleting] = useState(false);
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const refresh = async () => {
    await queryClient.invalidateQueries(accountQuery);
    // Leaves the page of a deleted profile first, because it would fail to load.
    if (isCurrent) await navigate({ to: '/' });
    await queryClient.invalidateQueries({ queryKey: ['workspace', workspaceId, 'profiles'] });
  };
  const params = { workspaceId, profileId: id };
  const archive = useMutation({ mutationFn: () => accountClient.archiveProfile({ params }), onSuccess: refresh });
  const restore = useMutation({ mutationFn: () => accountClient.restoreProfile({ params }), onSuccess: refresh });
  return (
    <>
      <div className="min-w-0">
        <p className="flex flex-wrap items-center gap-2 break-words font-semibold">
          {name} {isCurrent && <State tone="plain">{t.profiles.current}</State>}
        </p>
        <p className="label">
          {currency} · {zone}
          {archivedAt && ` · ${t.profiles.archivedOn(day(archivedAt.slice(0, 10)))}`}
        </p>
        <Failed error={archive.error ?? restore.error} />
      </div>
      <div className="flex flex-wrap gap-2">
        {!archivedAt && !isCurrent && (
          <Link
            to="/p/$profileId/overview"
            params={{ profileId: id }}
            search={readReportSearch({})}
            className="button"
            aria-label={t.profiles.openOf(name)}
          >
            {t.profiles.open}
          </Link>
        )}
        {role === 'owner' && !archivedAt && (
          <ConfirmButton
            label={t.profiles.archiveOf(name)}
            question={t.profiles.archiveAsk(name)}
            about={t.profiles.archiveAbout}
            disabled={archive.isPending}
            onConfirm={() => archive.mutate()}
          >
            {t.profiles.archive}
          </ConfirmButton>
        )}
        {role === 'owner' && archivedAt && (
          <button
            type="button"
            className="button"
            aria-label={t.profiles.restoreOf(name)}
            disabled={restore.isPending}
            onClick={() => restore.mutate()}
          >
            {t.profiles.restore}
          </button>
        )}
        {role === 'owner' && (
          <button
            type="button"
            className="button text-problem"
            aria-label={t.profiles.removeOf(name)}
            onClick={() => setDeleting(true)}
          >
            {t.profiles.remove}
          </button>
        )}
      </div>
      {isDeleting && (
        <DeleteByName
          name={name}
          about={t.profiles.removeAbout}
          button={t.profiles.removeButton}
          remove={(password) => accountClient.deleteProfile({ params, body: { current_password: password } })}
          onClose={() => setDeleting(false)}
          onDeleted={() => {
            setDeleting(false);
            void refresh();
          }}
        />
      )}
    </>
  );
}
