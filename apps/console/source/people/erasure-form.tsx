import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { TributaryError } from '@tributary/sdk';
import { useState } from 'react';
import { accountClient } from '../client.ts';
import { words } from '../format.ts';
import { t } from '../messages/index.ts';
import { Labelled } from '../parts/labelled.tsx';
import { Loading } from '../parts/states.tsx';
import { problemOf } from '../problem.ts';
import { type ErasureRequest, identityQuery } from '../queries.ts';
import { useReportScope } from '../report-scope.ts';
import { erasureReasons, limits } from '../vocabulary.ts';
import { ErasureConfirmation } from './erasure-confirmation.tsx';
import { newReference, requestOf, type Selector, selectorOf, selectors, selectorTitles } from './erasure-request.ts';

/** First collects customer and reason, then asks for confirmation. Only the second step erases. */
interface ErasureFormProps {
  readonly workspaceId: string;
  /** Preselects the customer whose page opened the form. */
  readonly customerId: string | undefined;
}

export function ErasureForm({ workspaceId, customerId }: ErasureFormProps) {
  const { scope } = useReportScope();
  const navigate = useNavigate({ from: '/p/$profileId/erasures' });
  const queryClient = useQueryClient();
  const customer = useQuery({
    ...identityQuery(scope.profileId, customerId ?? ''),
    enabled: customerId !== undefined,
  });
  const [draft, setDraft] = useState<ErasureRequest>();
  const [isSure, setSure] = useState(false);
  const erase = useMutation({
    mutationFn: (body: ErasureRequest) => accountClient.createCustomerErasure({ params: { workspaceId }, body }),
    onSuccess: async ({ data }) => {
      // Cached data of the customer is stale. Removed first, because the receipt is requested as soon as its id is in the URL.
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
      {draft && isSure ? (
        <ErasureConfirmation
          draft={draft}
          isPending={erase.isPending}
          back={() => setSure(false)}
          confirm={() => erase.mutate(draft)}
        />
      ) : customer.isLoading ? (
        <Loading lines={6} />
      ) : (
        <Who
          profileId={scope.profileId}
          named={selectorOf(customer.data?.customers.flatMap(({ identifiers }) => identifiers) ?? [])}
          before={draft}
          next={(request) => {
            erase.reset();
            setDraft(request);
            setSure(true);
          }}
        />
      )}
    </>
  );
}

function wordsFor(error: Error): string {
  const isUnknownCustomer = error instanceof TributaryError && error.is('customer_not_found');
  return isUnknownCustomer ? t.erasures.nobodyKnown : problemOf(error);
}

interface WhoProps {
  readonly profileId: string;
  /** The identifier of the customer whose page opened the form. */
  readonly named: { readonly selector: Selector; readonly value: string } | undefined;
  /** The previous input when the reader returns to change it. */
  readonly before: ErasureRequest | undefined;
  readonly next: (request: ErasureRequest) => void;
}

function Who({ profileId, named, before, next }: WhoProps) {
  const [selector, setSelector] = useState<Selector>(named?.selector ?? 'email');
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
      <p className="border-problem border-l-2 pl-3">{t.erasures.cannotUndo}</p>
      <Labelled title={t.erasures.namedBy}>
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
      </Labelled>
      <Labelled title={selectorTitles[selector]}>
        {(id) => (
          <input
            key={selector}
            id={id}
            name="value"
            className="field"
            defaultValue={selector === named?.selector ? named.value : ''}
            maxLength={500}
            autoComplete="off"
            required
          />
        )}
      </Labelled>
      <Labelled title={t.erasures.reason}>
        {(id) => (
          <select id={id} name="reason" className="field" defaultValue={before?.reason ?? erasureReasons[0]}>
            {erasureReasons.map((reason) => (
              <option key={reason} value={reason}>
                {words(reason)}
              </option>
            ))}
          </select>
        )}
      </Labelled>
      <Labelled title={t.erasures.ownName} about={t.erasures.ownNameAbout}>
        {(id) => (
          <input
            id={id}
            name="reference"
            className="field"
            defaultValue={reference}
            pattern="[A-Za-z0-9._:\-]+"
            title={t.erasures.ownNameShape}
            maxLength={limits.requestRefCharacters}
            required
          />
        )}
      </Labelled>
      <button type="submit" className="button justify-self-start">
        {t.common.continue}
      </button>
    </form>
  );
}
