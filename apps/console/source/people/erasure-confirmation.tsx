import { useEffect, useId, useRef } from 'react';
import { words } from '../format.ts';
import type { ErasureRequest } from '../queries.ts';
import { namedIn } from './erasure-request.ts';

interface ConfirmationProps {
  readonly asked: ErasureRequest;
  readonly isPending: boolean;
  readonly back: () => void;
  readonly confirm: () => void;
}

/** The last step before somebody is gone. */
export function ErasureConfirmation({ asked, isPending, back, confirm }: ConfirmationProps) {
  const sure = useId();
  const title = useRef<HTMLHeadingElement>(null);
  // The form is gone from under whoever pressed its button.
  useEffect(() => title.current?.focus(), []);
  return (
    <form
      aria-label="Confirm the erasure"
      className="card grid max-w-2xl gap-4 border-problem p-6"
      onSubmit={(event) => {
        event.preventDefault();
        confirm();
      }}
    >
      <h2 ref={title} tabIndex={-1} className="break-words focus:outline-none">
        Erase {namedIn(asked)} for good?
      </h2>
      <p className="label">
        {words(asked.reason ?? '')}, {asked.request_ref}
      </p>
      <ul className="grid list-disc gap-1 pl-5">
        <li>Nobody finds them any more from this moment on, and nobody can bring them back.</li>
        <li>Pages, devices and places of their visits are cleared within minutes.</li>
        <li>Your own key of them never binds again: give somebody who comes back a new one.</li>
        <li>What ad platforms already got, and what your own systems hold, is out of our reach.</li>
      </ul>
      <div className="flex items-start gap-2">
        <input id={sure} type="checkbox" required className="mt-1.5" />
        <label htmlFor={sure}>I know that this cannot be undone.</label>
      </div>
      <div className="flex flex-wrap gap-3">
        <button type="submit" className="button-main bg-problem" disabled={isPending}>
          {isPending ? 'Erasing …' : 'Erase for good'}
        </button>
        <button type="button" className="button" disabled={isPending} onClick={back}>
          Back
        </button>
      </div>
    </form>
  );
}
