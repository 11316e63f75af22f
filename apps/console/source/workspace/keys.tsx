import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import type { Scope } from '@tributary/contract';
import { useMemo, useState } from 'react';
import { clientFor } from '../client.ts';
import { ago, localMoment } from '../format.ts';
import { type Membership, useMembership } from '../membership.ts';
import { t } from '../messages/index.ts';
import type { Column } from '../parts/columns.ts';
import { ConfirmButton } from '../parts/dialog.tsx';
import { LineForm, NameField, TitledField } from '../parts/line-form.tsx';
import { OneTimeSecret } from '../parts/one-time-secret.tsx';
import { OnlyAdmins } from '../parts/only-admins.tsx';
import { Failed, Page } from '../parts/page.tsx';
import { PagedTable } from '../parts/paged-table.tsx';
import { PasswordField } from '../parts/password-field.tsx';
import { Empty } from '../parts/states.tsx';
import { useReportScope } from '../report-scope.ts';
import { personScopes, scopesOf } from '../vocabulary.ts';
import { creatorOf } from './creator.ts';
import { type ApiKey, keysQuery } from './queries.ts';

/** The API keys of the profile, for owners and admins: create, list and revoke. */
export const Keys = () => (
  <OnlyAdmins title={t.pages.keys}>
    <KeysPage />
  </OnlyAdmins>
);

function KeysPage() {
  const { profileId } = useReportScope().scope;
  const queryClient = useQueryClient();
  const keys = useInfiniteQuery(keysQuery(profileId));
  const revoke = useMutation({
    mutationFn: (id: string) => clientFor(profileId).deleteKey({ params: { id } }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: keysQuery(profileId).queryKey }),
  });
  const { mutate } = revoke;
  const columns = useMemo(() => columnsOf(mutate), [mutate]);
  return (
    <Page title={t.pages.keys} about={t.keys.about}>
      <div className="grid gap-5">
        <NewKey profileId={profileId} />
        <Failed error={revoke.error} />
        <PagedTable
          query={keys}
          caption={t.pages.keys}
          columns={columns}
          keyOf={({ id }) => id}
          empty={<Empty title={t.keys.none} />}
        />
      </div>
    </Page>
  );
}

const columnsOf = (revoke: (id: string) => void): Column<ApiKey>[] => [
  {
    id: 'name',
    title: t.common.name,
    value: ({ name }) => name,
    cell: ({ name, prefix, last4 }) => (
      <>
        {name}
        <code className="label block">
          {prefix}…{last4}
        </code>
      </>
    ),
  },
  {
    id: 'scopes',
    title: t.keys.may,
    value: ({ scopes }) => scopes.join(' '),
    cell: ({ scopes }) => <span className="label break-words">{scopes.join(', ')}</span>,
  },
  {
    id: 'creator',
    title: t.keys.createdBy,
    value: ({ created_by: by }) => creatorOf(by),
    cell: ({ created_by: by }) => (
      <>
        {creatorOf(by)}
        {by?.email && <span className="label block break-all">{by.email}</span>}
      </>
    ),
  },
  {
    id: 'used',
    title: t.keys.lastUsed,
    value: ({ last_used_at: at }) => at,
    cell: ({ last_used_at: at }) => (at ? ago(at) : t.keys.never),
  },
  {
    id: 'expires',
    title: t.keys.expires,
    value: ({ expires_at: at }) => at,
    cell: ({ expires_at: at }) => (at ? localMoment(at) : t.keys.never),
  },
  {
    id: 'revoke',
    title: t.keys.revoke,
    value: () => null,
    cell: ({ id, name }) => (
      <ConfirmButton label={t.keys.revokeOf(name)} question={t.keys.revokeAsk(name)} onConfirm={() => revoke(id)}>
        {t.keys.revoke}
      </ConfirmButton>
    ),
  },
];

/** Common purposes of keys. Other scopes can be chosen through the API. */
const purposes = { send: t.keys.send, read: t.keys.read, usual: t.keys.usual, all: t.keys.all };
type Purpose = keyof typeof purposes;

/** Undefined for the API's default: no customers and no changes of ads. */
function scopesFor(purpose: Purpose, { role, isHealthcare }: Membership): readonly Scope[] | undefined {
  if (purpose === 'send') return ['attribution:write'];
  if (purpose === 'read') return scopesOf.viewer;
  if (purpose === 'usual' || !role) return undefined;
  return scopesOf[role].filter((scope) => !neverInKeys.includes(scope) && !(isHealthcare && readsPeople(scope)));
}
const neverInKeys: readonly Scope[] = ['profiles:write', 'workspaces:write'];
const readsPeople = (scope: Scope) => personScopes.includes(scope);

function NewKey({ profileId }: { readonly profileId: string }) {
  const queryClient = useQueryClient();
  const [name, setName] = useState('');
  const [purpose, setPurpose] = useState<Purpose>('send');
  const [password, setPassword] = useState('');
  const scopes = scopesFor(purpose, useMembership());
  const needsPassword = scopes?.some(readsPeople) ?? false;
  const create = useMutation({
    mutationFn: async () => {
      const body = {
        name,
        ...(scopes && { scopes: [...scopes] }),
        ...(needsPassword && { current_password: password }),
      };
      return (await clientFor(profileId).createKey({ body })).data;
    },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: keysQuery(profileId).queryKey }),
  });
  return (
    <section className="card grid gap-3 p-5" aria-labelledby="new-key">
      <h2 id="new-key">{t.keys.add}</h2>
      <LineForm onSubmit={() => create.mutate()}>
        <NameField maxLength={100} value={name} onChange={setName} />
        <TitledField title={t.keys.may}>
          <select className="field" value={purpose} onChange={({ target }) => setPurpose(target.value as Purpose)}>
            {Object.entries(purposes).map(([id, title]) => (
              <option key={id} value={id}>
                {title}
              </option>
            ))}
          </select>
        </TitledField>
        {needsPassword && <PasswordField value={password} onChange={setPassword} />}
        <button type="submit" className="button-main" disabled={create.isPending}>
          {t.keys.make}
        </button>
      </LineForm>
      <Failed error={create.error} />
      {create.data && <OneTimeSecret secret={create.data.key ?? ''} about={t.keys.theKey} />}
    </section>
  );
}
