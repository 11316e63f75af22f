import { useQuery } from '@tanstack/react-query';
import { t } from '../messages/index.ts';
import { Brand } from '../parts/brand.tsx';
import { Empty } from '../parts/states.tsx';
import { useTitle } from '../parts/use-title.ts';
import { accountQuery } from '../queries.ts';
import { DeletedWorkspaces } from '../workspace/deleted-workspaces.tsx';
import { withProfileCreation } from '../workspace/new-profile.tsx';
import { WorkspaceProfiles } from '../workspace/workspace-profiles.tsx';

/** Shown to accounts without an active profile: members with permission can create or restore one. */
export function NoProfile() {
  useTitle(t.frame.noProfile);
  const { data: account } = useQuery(accountQuery);
  const workspaces = withProfileCreation(account);
  return (
    <main className="mx-auto grid max-w-xl gap-6 p-6">
      <Brand />
      <h1 className="sr-only">{t.frame.noProfile}</h1>
      {account?.memberships.length === 0 ? (
        <Empty title={t.frame.noProfileHere}>
          {t.frame.noProfileBefore} <code>tributary profile create</code>
          {t.frame.noProfileAfter}
        </Empty>
      ) : (
        <Empty title={t.frame.noProfileHere}>
          {workspaces.length > 0 ? t.profiles.createHere : t.profiles.askAdmin}
        </Empty>
      )}
      {workspaces.map((membership) => (
        <WorkspaceProfiles key={membership.workspace_id} membership={membership} />
      ))}
      <DeletedWorkspaces />
    </main>
  );
}
