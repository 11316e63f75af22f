import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { accountClient } from '../client.ts';
import { type Account, accountQuery } from '../queries.ts';
import { say } from '../words/index.ts';
import { DeleteByName } from './delete-by-name.tsx';

/** Deletes a workspace with all of its profiles, for owners. */
export function DeleteWorkspace({ membership }: { readonly membership: Account['memberships'][number] }) {
  const { workspace_id: workspaceId, workspace_name: name } = membership;
  const [isDeleting, setDeleting] = useState(false);
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  return (
    <div className="border-line border-t pt-4">
      <button type="button" className="button text-problem" onClick={() => setDeleting(true)}>
        {say.profiles.removeWorkspace}
      </button>
      {isDeleting && (
        <DeleteByName
          name={name}
          about={say.profiles.removeWorkspaceAbout}
          button={say.profiles.removeWorkspace}
          remove={() => accountClient.deleteWorkspace({ params: { workspaceId } })}
          onClose={() => setDeleting(false)}
          onDeleted={async () => {
            setDeleting(false);
            await queryClient.invalidateQueries(accountQuery);
            await navigate({ to: '/' });
          }}
        />
      )}
    </div>
  );
}
