import { useEffect, useId, useRef } from 'react';
import { words } from '../format.ts';
import { t } from '../messages/index.ts';
import type { ErasureRequest } from '../queries.ts';
import { namedIn } from './erasure-request.ts';

interface ConfirmationProps {
  readonly draft: ErasureRequest;
  readonly isPending: boolean;
  readonly back: () => void;
  readonly confirm: () => void;
}

/** The confirmation before a customer is erased. */
export function ErasureConfirmation({ draft, isPending, back, confirm }: ConfirmationProps) {
  const sure = useId();
  const title = useRef<HTMLHeadingElement>(null);
  // The form with the focused button was just unmounted, so the focus moves to this heading.
  useEffect(() => title.current?.focus(), []);
  return (
    <form
      aria-label={t.erasures.confirm}
      className="card grid max-w-2xl gap-4 border-problem p-6"
      onSubmit={(event) => {
        event.preventDefault();
        confirm();
      }}
    >
      <h2 ref={title} tabIndex={-1} className="break-words focus:outline-none">
        {t.erasures.forGood(namedIn(draft))}
      </h2>
      <p className="label">
        {words(draft.reason ?? '')}, {draft.request_ref}
      </p>
      <ul className="grid list-disc gap-1 pl-5">
        <li>{t.erasures.nobodyFinds}</li>
        <li>{t.erasures.visitsCleared}</li>
        <li>{t.erasures.keyNeverBinds}</li>
        <li>{t.erasures.outOfReach}</li>
      </ul>
      <div className="flex items-start gap-2">
        <input id={sure} type="checkbox" required className="mt-1.5" />
        <label htmlFor={sure}>{t.erasures.iKnow}</label>
      </div>
      <div className="flex flex-wrap gap-3">
        <button type="submit" className="button-main bg-problem" disabled={isPending}>
          {isPending ? t.erasures.erasing : t.erasures.eraseForGood}
        </button>
        <button type="button" className="button" disabled={isPending} onClick={back}>
          {t.common.back}
        </button>
      </div>
    </form>
  );
}
