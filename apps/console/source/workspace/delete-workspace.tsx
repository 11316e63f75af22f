import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { accountClient } from '../client.ts';
import { t } from '../messages/index.ts';
import { type Account, accountQuery } from '../queries.ts';
import { DeleteByName } from './delete-by-name.tsx';

/** Deletes a workspace with all of its profiles, for owners, who can restore it for some days. */
export function DeleteWorkspace({ membership }: { readonly membership: Account['memberships'][number] }) {
  const { workspace_id: workspaceId, workspace_name: name } = membership;
  const [isDeleting, setDeleting] = useState(false);
  const [isNow, setNow] = useState(false);
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  return (
    <div className="border-line border-t pt-4">
      <button type="button" className="button text-problem" onClick={() => setDeleting(true)}>
        {t.profiles.removeWorkspace}
      </button>
      {isDeleting && (
        <DeleteByName
          name={name}
          about={isNow ? t.profiles.removeWorkspaceNow : t.profiles.removeWorkspaceAbout}
          button={t.profiles.removeWorkspace}
          remove={(password) =>
            accountClient.deleteWorkspace({
              params: { workspaceId },
              body: { current_password: password, delete_now: isNow },
            })
          }
          onClose={() => setDeleting(false)}
          onDeleted={async () => {
            setDeleting(false);
            await queryClient.invalidateQueries(accountQuery);
            await navigate({ to: '/' });
          }}
        >
          <label className="flex items-start gap-2">
            <input type="checkbox" className="mt-1" checked={isNow} onChange={({ target }) => setNow(target.checked)} />
            {t.profiles.deleteNow}
          </label>
        </DeleteByName>
      )}
    </div>
  );
}
