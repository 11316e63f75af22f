import { useLocation } from '@tanstack/react-router';
import { useId, useRef } from 'react';
import { usePlace } from '../place.ts';
import { say } from '../words/index.ts';
import { useViews } from './views.ts';

/** Keeps what is seen under a name. What was being explained is of the moment, so it is left out. */
export function SaveView() {
  const { profileId } = usePlace().place;
  const { pathname, search } = useLocation();
  const { save } = useViews(profileId);
  const [box, field] = [useRef<HTMLDetailsElement>(null), useId()];
  return (
    <details ref={box} className="relative">
      <summary className="button cursor-pointer list-none whitespace-nowrap">{say.views.save}</summary>
      <form
        className="card absolute right-0 z-10 mt-1 grid w-64 gap-2 p-3 shadow-xl max-sm:right-auto max-sm:left-0"
        onSubmit={(event) => {
          event.preventDefault();
          const name = String(new FormData(event.currentTarget).get('name')).trim();
          const { explain: _, ...kept } = search as Readonly<Record<string, unknown>>;
          if (name) save({ name, path: pathname.slice(`/p/${profileId}`.length), search: JSON.stringify(kept) });
          event.currentTarget.reset();
          box.current?.removeAttribute('open');
        }}
      >
        <label htmlFor={field} className="label">
          {say.views.name}
        </label>
        <input id={field} name="name" className="field" maxLength={60} autoComplete="off" required />
        <p className="label">{say.views.about}</p>
        <button type="submit" className="button">
          {say.views.keep}
        </button>
      </form>
    </details>
  );
}
