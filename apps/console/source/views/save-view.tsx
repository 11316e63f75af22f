import { useLocation } from '@tanstack/react-router';
import { useId, useRef } from 'react';
import { useMembership } from '../membership.ts';
import { t } from '../messages/index.ts';
import { Failed } from '../parts/page.tsx';
import { useReportScope } from '../report-scope.ts';
import { limits } from '../vocabulary.ts';
import { savedPageAt, savesViews, searchText, useSaveView } from './views.ts';

/** Saves the current report under a name, for all members of the workspace. */
export function SaveView() {
  const { profileId } = useReportScope().scope;
  const { pathname, search } = useLocation();
  const { role } = useMembership();
  const save = useSaveView(profileId);
  const [box, field] = [useRef<HTMLDetailsElement>(null), useId()];
  const page = savedPageAt(profileId, pathname);
  if (!page || !savesViews(role)) return null;
  return (
    <details ref={box} className="relative">
      <summary className="button cursor-pointer list-none whitespace-nowrap">{t.views.save}</summary>
      <form
        className="card absolute right-0 z-10 mt-1 grid w-64 gap-2 p-3 shadow-xl max-sm:right-auto max-sm:left-0"
        onSubmit={(event) => {
          event.preventDefault();
          const form = event.currentTarget;
          const name = String(new FormData(form).get('name'));
          const close = () => {
            form.reset();
            box.current?.removeAttribute('open');
          };
          save.mutate({ name, page, search: searchText(search) }, { onSuccess: close });
        }}
      >
        <label htmlFor={field} className="label">
          {t.views.name}
        </label>
        <input id={field} name="name" className="field" maxLength={limits.viewName} autoComplete="off" required />
        <p className="label">{t.views.about}</p>
        <button type="submit" className="button" disabled={save.isPending}>
          {t.views.keep}
        </button>
        <Failed error={save.error} />
      </form>
    </details>
  );
}
