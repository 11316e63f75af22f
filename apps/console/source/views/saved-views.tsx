import { Link } from '@tanstack/react-router';
import { useMembership } from '../membership.ts';
import { t } from '../messages/index.ts';
import { useReportScope } from '../report-scope.ts';
import { addressOf, savesViews, searchOf, useRemoveView, useViews } from './views.ts';

export function SavedViews({ onGo }: { readonly onGo?: () => void }) {
  const { profileId } = useReportScope().scope;
  const views = useViews(profileId);
  const remove = useRemoveView(profileId);
  const mayRemove = savesViews(useMembership().role);
  if (views.length === 0) return null;
  return (
    <section aria-label={t.views.title}>
      <p className="label mb-1 px-3 font-semibold">{t.views.title}</p>
      <ul>
        {views.map((view) => (
          <li key={view.id} className="flex items-center rounded-md hover:bg-tint">
            <Link
              to={addressOf(profileId, view)}
              search={searchOf(view)}
              className="min-w-0 flex-1 break-words px-3 py-1 text-soft hover:text-ink"
              {...(onGo && { onClick: onGo })}
            >
              {view.name}
            </Link>
            {mayRemove && (
              <button
                type="button"
                aria-label={t.views.remove(view.name)}
                className="min-h-6 min-w-6 px-2 text-soft hover:text-ink"
                disabled={remove.isPending}
                onClick={() => remove.mutate(view.id)}
              >
                ×
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
