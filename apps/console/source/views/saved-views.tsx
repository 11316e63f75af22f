import { Link } from '@tanstack/react-router';
import { usePlace } from '../place.ts';
import { say } from '../words/index.ts';
import { useViews, type View } from './views.ts';

/** The way back to what was saved. */
export function SavedViews({ onGo }: { readonly onGo?: () => void }) {
  const { profileId } = usePlace().place;
  const { views, remove } = useViews(profileId);
  if (views.length === 0) return null;
  return (
    <section aria-label={say.views.title}>
      <p className="label mb-1 px-3 font-semibold">{say.views.title}</p>
      <ul>
        {views.map((view) => (
          <li key={view.name} className="flex items-center rounded-md hover:bg-tint">
            <Link
              to={addressOf(profileId, view)}
              search={searchOf(view)}
              className="min-w-0 flex-1 break-words px-3 py-1 text-soft hover:text-ink"
              {...(onGo && { onClick: onGo })}
            >
              {view.name}
            </Link>
            <button
              type="button"
              aria-label={say.views.remove(view.name)}
              className="min-h-6 min-w-6 px-2 text-soft hover:text-ink"
              onClick={() => remove(view.name)}
            >
              ×
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

export const addressOf = (profileId: string, { path }: View): string => `/p/${profileId}${path}`;

/** Whatever stands there, the page that is opened reads only what it knows. */
export function searchOf({ search }: View): object {
  try {
    const found: unknown = JSON.parse(search);
    return found !== null && typeof found === 'object' ? found : {};
  } catch {
    return {};
  }
}
