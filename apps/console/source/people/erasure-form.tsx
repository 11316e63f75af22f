import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { TributaryError } from '@tributary/sdk';
import { type ReactNode, useId, useState } from 'react';
import { accountClient } from '../client.ts';
import { words } from '../format.ts';
import { usePlace } from '../place.ts';
import type { ErasureRequest } from '../queries.ts';
import { erasureReasons, limits } from '../vocabulary.ts';
import { ErasureConfirmation } from './erasure-confirmation.tsx';
import { newReference, requestOf, type Selector, selectors, selectorTitles } from './erasure-request.ts';

/** First who and why, then a last look at it. Only the second step erases. */
export function ErasureForm({ workspaceId }: { readonly workspaceId: string }) {
  const { place } = usePlace();
  const navigate = useNavigate({ from: '/p/$profileId/erasures' });
  const queryClient = useQueryClient();
  const [asked, setAsked] = useState<ErasureRequest>();
  const [isSure, setSure] = useState(false);
  const erase = useMutation({
    mutationFn: (body: ErasureRequest) => accountClient.createCustomerErasure({ params: { workspaceId }, body }),
    onSuccess: async ({ data }) => {
      // Whatever was shown of them is no longer so. First, because the receipt is asked for as soon as it is in the address.
      queryClient.removeQueries({ predicate: ({ queryKey: [first] }) => first !== 'account' });
      await navigate({ to: '.', search: (before) => ({ ...before, receipt: data.erasure_id }) });
    },
    onError: () => setSure(false),
  });
  return (
    <>
      {erase.isError && (
        <p role="alert" className="mb-4 max-w-prose border-problem border-l-2 pl-3 text-problem">
          {wordsFor(erase.error)}
        </p>
      )}
      {asked && isSure ? (
        <ErasureConfirmation
          asked={asked}
          isPending={erase.isPending}
          back={() => setSure(false)}
          confirm={() => erase.mutate(asked)}
        />
      ) : (
        <Who
          profileId={place.profileId}
          before={asked}
          next={(request) => {
            erase.reset();
            setAsked(request);
            setSure(true);
          }}
        />
      )}
    </>
  );
}

function wordsFor(error: Error): string {
  const isNobody = error instanceof TributaryError && error.is('customer_not_found');
  return isNobody ? 'Nobody in this profile is known by that. Nothing was erased.' : error.message;
}

interface WhoProps {
  readonly profileId: string;
  /** What was filled in before, for whoever came back to change it. */
  readonly before: ErasureRequest | undefined;
  readonly next: (request: ErasureRequest) => void;
}

function Who({ profileId, before, next }: WhoProps) {
  const [selector, setSelector] = useState<Selector>('email');
  const [reference] = useState(() => before?.request_ref ?? newReference(new Date(), crypto.randomUUID()));
  return (
    <form
      className="card grid max-w-2xl gap-4 p-6"
      onSubmit={(event) => {
        event.preventDefault();
        const form = new FormData(event.currentTarget);
        const text = (name: string) => String(form.get(name) ?? '').trim();
        next(
          requestOf({
            profileId,
            selector,
            value: text('value'),
            reference: text('reference'),
            reason: text('reason'),
          }),
        );
      }}
    >
      <p className="border-problem border-l-2 pl-3">
        An erasure cannot be undone. Name, e-mail, phone and every identifier of the person go from every store;
        conversions and money stay, without a person, so that no report changes.
      </p>
      <Field title="The customer is named by">
        {(id) => (
          <select
            id={id}
            className="field"
            value={selector}
            onChange={({ target }) => setSelector(target.value as Selector)}
          >
            {selectors.map((name) => (
              <option key={name} value={name}>
                {selectorTitles[name]}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field title={selectorTitles[selector]}>
        {(id) => <input id={id} name="value" className="field" maxLength={500} autoComplete="off" required />}
      </Field>
      <Field title="Reason">
        {(id) => (
          <select id={id} name="reason" className="field" defaultValue={before?.reason ?? erasureReasons[0]}>
            {erasureReasons.map((reason) => (
              <option key={reason} value={reason}>
                {words(reason)}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field
        title="Your name for this request"
        hint="It is kept, so it must not say who it was: a ticket’s number will do."
      >
        {(id) => (
          <input
            id={id}
            name="reference"
            className="field"
            defaultValue={reference}
            pattern="[A-Za-z0-9._:\-]+"
            title="Letters, digits and . _ : - only"
            maxLength={limits.requestRefCharacters}
            required
          />
        )}
      </Field>
      <button type="submit" className="button justify-self-start">
        Continue
      </button>
    </form>
  );
}

interface FieldProps {
  readonly title: string;
  readonly hint?: string;
  readonly children: (id: string) => ReactNode;
}

function Field({ title, hint, children }: FieldProps) {
  const id = useId();
  return (
    <div className="grid gap-1">
      <label htmlFor={id} className="label">
        {title}
      </label>
      {children(id)}
      {hint && <span className="label">{hint}</span>}
    </div>
  );
}
