import { useSyncExternalStore } from 'react';

/**
 * Reports that somebody comes back to: a page with its days, model, filters and sort under a name. They are kept in this browser, for each
 * profile; an address is what can be sent to others.
 */
export interface View {
  readonly name: string;
  /** The page, below the profile: `/campaigns`. */
  readonly path: string;
  /** What stands after the question mark. */
  readonly search: string;
}

const most = 30;
const placeOf = (profileId: string): string => `tributary.views.${profileId}`;

const listeners = new Set<() => void>();
function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The same list for as long as nothing changed, as React asks. */
const read = new Map<string, { readonly text: string | null; readonly views: readonly View[] }>();

function viewsOf(profileId: string): readonly View[] {
  const text = localStorage.getItem(placeOf(profileId));
  const known = read.get(profileId);
  if (known && known.text === text) return known.views;
  const views = viewsIn(text);
  read.set(profileId, { text, views });
  return views;
}

/** Whatever else may stand there is none. */
export function viewsIn(text: string | null): readonly View[] {
  try {
    const found: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(found) ? found.filter(isView).slice(0, most) : [];
  } catch {
    return [];
  }
}

function isView(value: unknown): value is View {
  const { name, path, search } = (value ?? {}) as Record<string, unknown>;
  return typeof name === 'string' && typeof path === 'string' && /^\/[\w/-]*$/.test(path) && typeof search === 'string';
}

export function useViews(profileId: string): {
  readonly views: readonly View[];
  /** One of the same name is replaced. */
  readonly save: (view: View) => void;
  readonly remove: (name: string) => void;
} {
  const views = useSyncExternalStore(listen, () => viewsOf(profileId));
  const write = (next: readonly View[]) => {
    localStorage.setItem(placeOf(profileId), JSON.stringify(next.slice(0, most)));
    for (const listener of listeners) listener();
  };
  const without = (name: string) => views.filter((view) => view.name !== name);
  return {
    views,
    save: (view) => write([view, ...without(view.name)]),
    remove: (name) => write(without(name)),
  };
}
