import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { AnswerTo, Routes } from '@tributary/sdk';
import { useEffect, useState } from 'react';
import { clientFor } from '../client.ts';
import { localTime, words } from '../format.ts';
import { Copy } from '../parts/copy.tsx';
import { LineForm, Titled } from '../parts/line-form.tsx';
import { Failed } from '../parts/page.tsx';
import { Answered } from '../parts/states.tsx';
import { handoffProviders } from '../vocabulary.ts';
import { say } from '../words/index.ts';
import { candidatesQuery, connectionsQuery, handoffQuery } from './queries.ts';

type Provider = (typeof handoffProviders)[number];

/** Makes a link with which somebody connects a provider, and watches what becomes of it. */
export function Connect({ profileId }: { readonly profileId: string }) {
  const queryClient = useQueryClient();
  const [provider, setProvider] = useState<Provider>('social_ads');
  const mint = useMutation({
    mutationFn: async () => (await clientFor(profileId).createHandoff({ params: { provider }, body: {} })).data,
  });
  const { data: handoff } = useQuery(handoffQuery(profileId, mint.data?.id));
  const status = handoff?.status;
  useEffect(() => {
    if (status === 'completed') void queryClient.invalidateQueries(connectionsQuery(profileId));
  }, [status, queryClient, profileId]);
  return (
    <section className="card grid gap-3 p-5" aria-labelledby="connect">
      <h2 id="connect">{say.connect.title}</h2>
      <LineForm onSubmit={() => mint.mutate()}>
        <Titled title={say.connect.provider}>
          <select className="field" value={provider} onChange={({ target }) => setProvider(target.value as Provider)}>
            {handoffProviders.map((name) => (
              <option key={name} value={name}>
                {words(name)}
              </option>
            ))}
          </select>
        </Titled>
        <button type="submit" className="button-main" disabled={mint.isPending}>
          {say.common.makeLink}
        </button>
      </LineForm>
      <Failed error={mint.error} />
      {mint.data && (
        <div className="grid gap-2" aria-live="polite">
          <p>{say.connect.openIt(localTime(mint.data.expires_at))}</p>
          <p className="flex flex-wrap items-center gap-3">
            <a className="break-all text-accent underline" href={mint.data.url} target="_blank" rel="noreferrer">
              {mint.data.url}
            </a>
            <Copy text={mint.data.url} about={say.connect.theLink} />
          </p>
          <Outcome profileId={profileId} handoff={handoff} />
        </div>
      )}
    </section>
  );
}

type Handoff = AnswerTo<Routes['readHandoff']>['data'];

function Outcome({ profileId, handoff }: { readonly profileId: string; readonly handoff: Handoff | undefined }) {
  if (!handoff || handoff.status === 'pending') return <p className="label">{say.connect.waiting}</p>;
  const { result } = handoff;
  if (result && 'pending_selection' in result) return <Choose profileId={profileId} provider={result.provider} />;
  if (result && 'reason' in result) return <p>{say.connect.refused(words(result.reason).toLowerCase())}</p>;
  return <p>{say.connect.connected}</p>;
}

/** The consent opens several accounts; one of them is meant. */
function Choose({ profileId, provider }: { readonly profileId: string; readonly provider: Provider }) {
  const queryClient = useQueryClient();
  const candidates = useQuery(candidatesQuery(profileId, provider));
  const choose = useMutation({
    mutationFn: (id: string) =>
      clientFor(profileId).finalizePendingAccount({ params: { provider }, body: { candidate_id: id } }),
    onSuccess: () => queryClient.invalidateQueries(connectionsQuery(profileId)),
  });
  if (choose.isSuccess) return <p>{say.connect.connected}</p>;
  return (
    <Answered query={candidates} lines={2}>
      {(accounts) => (
        <div>
          <p>{say.connect.whichAccount}</p>
          <ul className="mt-2 flex flex-wrap gap-2">
            {accounts.map(({ id, name }) => (
              <li key={id}>
                <button type="button" className="button" disabled={choose.isPending} onClick={() => choose.mutate(id)}>
                  {name} <span className="label">{id}</span>
                </button>
              </li>
            ))}
          </ul>
          <Failed error={choose.error} />
        </div>
      )}
    </Answered>
  );
}
