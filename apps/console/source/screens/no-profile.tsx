import { useQuery } from '@tanstack/react-query';
import { Brand } from '../parts/brand.tsx';
import { Empty } from '../parts/states.tsx';
import { useTitle } from '../parts/use-title.ts';
import { accountQuery } from '../queries.ts';
import { say } from '../messages/index.ts';
import { DeletedWorkspaces } from '../workspace/deleted-workspaces.tsx';
import { withProfileCreation } from '../workspace/new-profile.tsx';
import { WorkspaceProfiles } from '../workspace/workspace-profiles.tsx';

/** Shown to accounts without an active profile: members with permission can create or restore one. */
export function NoProfile() {
  useTitle(say.frame.noProfile);
  const { data: account } = useQuery(accountQuery);
  const workspaces = withProfileCreation(account);
  return (
    <main className="mx-auto grid max-w-xl gap-6 p-6">
      <Brand />
      <h1 className="sr-only">{say.frame.noProfile}</h1>
      {account?.memberships.length === 0 ? (
        <Empty title={say.frame.noProfileHere}>
          {say.frame.noProfileBefore} <code>tributary profile create</code>
          {say.frame.noProfileAfter}
        </Empty>
      ) : (
        <Empty title={say.frame.noProfileHere}>
          {workspaces.length > 0 ? say.profiles.createHere : say.profiles.askAdmin}
        </Empty>
      )}
      {workspaces.map((membership) => (
        <WorkspaceProfiles key={membership.workspace_id} membership={membership} />
      ))}
      <DeletedWorkspaces />
    </main>
  );
}
