import { Link, useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { areas, type PageEntry } from '../areas.ts';
import { type Membership, useMembership } from '../membership.ts';
import { t } from '../messages/index.ts';
import { LanguagePicker } from '../parts/language-picker.tsx';
import { useReportScope } from '../report-scope.ts';
import { chooseTheme, readTheme, type Theme, themes } from '../theme.ts';
import { SavedViews } from '../views/saved-views.tsx';

/** A page that the signed-in member can open. */
export interface ReachablePage extends PageEntry {
  /** Its route, with the profile as a parameter. */
  readonly to: string;
}

/** The pages that the signed-in member can open. */
export function usePages(): readonly ReachablePage[] {
  const { routesByPath } = useRouter();
  const membership = useMembership();
  return Object.values(routesByPath).flatMap(({ fullPath, options }) => {
    const entry = options.staticData?.entry;
    return entry && isFor(entry, membership) ? [{ ...entry, to: fullPath }] : [];
  });
}

const isFor = (entry: PageEntry, membership: Membership): boolean => entry.isFor?.(membership) ?? true;

/** The navigation, section by section. */
export function Navigation({ onGo }: { readonly onGo?: () => void }) {
  const { scope, linkSearch } = useReportScope();
  const reachable = usePages();
  return (
    <nav aria-label={t.frame.pages} className="grid gap-4">
      {areas.map((area) => {
        const inIt = reachable.filter((page) => page.area === area);
        return (
          inIt.length > 0 && (
            <section key={area} aria-label={t.areas[area]}>
              <p className="label mb-1 px-3 font-semibold">{t.areas[area]}</p>
              <ul>
                {inIt.map(({ to, title }) => (
                  <li key={to}>
                    <Link
                      to={to}
                      params={{ profileId: scope.profileId }}
                      search={linkSearch}
                      activeOptions={{ includeSearch: false }}
                      className="block rounded-md px-3 py-1 text-soft hover:bg-tint hover:text-ink"
                      activeProps={{ className: 'bg-accent-soft! font-semibold text-ink!' }}
                      {...(onGo && { onClick: onGo })}
                    >
                      {title}
                    </Link>
                  </li>
                ))}
              </ul>
            </section>
          )
        );
      })}
      <SavedViews {...(onGo && { onGo })} />
      <ThemePicker />
      <LanguagePicker className="px-3" />
    </nav>
  );
}

function ThemePicker() {
  const [theme, setTheme] = useState(readTheme);
  return (
    <label className="block px-3">
      <span className="label block">{t.frame.theme}</span>
      <select
        className="field mt-1 w-full"
        value={theme}
        onChange={({ target }) => {
          const next = target.value as Theme;
          setTheme(next);
          chooseTheme(next);
        }}
      >
        {Object.entries(themes).map(([value, title]) => (
          <option key={value} value={value}>
            {title}
          </option>
        ))}
      </select>
    </label>
  );
}
