import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { accountClient } from '../client.ts';
import { longDay } from '../format.ts';
import { t } from '../messages/index.ts';
import { Failed } from '../parts/page.tsx';
import { deletedWorkspacesQuery } from './queries.ts';

/** Deleted workspaces that the signed-in owner can still restore. */
export function DeletedWorkspaces() {
  const queryClient = useQueryClient();
  const { data: rows = [] } = useQuery(deletedWorkspacesQuery);
  const restore = useMutation({
    mutationFn: (id: string) => accountClient.restoreWorkspace({ params: { id } }),
    onSuccess: () => queryClient.invalidateQueries(),
  });
  if (rows.length === 0) return null;
  return (
    <section className="card grid gap-3 p-6" aria-labelledby="deleted-workspaces">
      <h2 id="deleted-workspaces">{t.profiles.deletedWorkspaces}</h2>
      <ul className="grid gap-2">
        {rows.map(({ id, name, restorable_until: until }) => (
          <li key={id} className="flex flex-wrap items-center justify-between gap-3">
            <span>
              {name}
              <span className="label block">{t.profiles.restorableUntil(longDay(until.slice(0, 10)))}</span>
            </span>
            <button
              type="button"
              className="button"
              aria-label={t.profiles.restoreOf(name)}
              disabled={restore.isPending}
              onClick={() => restore.mutate(id)}
            >
              {t.profiles.restore}
            </button>
          </li>
        ))}
      </ul>
      <Failed error={restore.error} />
    </section>
  );
}
