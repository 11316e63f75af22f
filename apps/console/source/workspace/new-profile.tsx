import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { accountClient } from '../client.ts';
import { t } from '../messages/index.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Labelled } from '../parts/labelled.tsx';
import { Failed } from '../parts/page.tsx';
import { type Account, accountQuery, profileQuery } from '../queries.ts';
import { readReportSearch } from '../search.ts';
import { scopesOf } from '../vocabulary.ts';
import { CurrencyField, TimeZoneField } from './profile-fields.tsx';

type Membership = Account['memberships'][number];

/** The workspaces in which the account may create profiles. */
export const withProfileCreation = (account: Account | undefined): readonly Membership[] =>
  account?.memberships.filter(({ role }) => scopesOf[role].includes('profiles:write')) ?? [];

interface NewProfileProps {
  readonly workspaceId: string | undefined;
  /** The current profile, whose currency a new one copies. */
  readonly profileId?: string | undefined;
  readonly onClose: () => void;
}

/** Creates a profile and opens its set-up checklist. */
export function NewProfile({ workspaceId, profileId, onClose }: NewProfileProps) {
  const { data: account } = useQuery(accountQuery);
  const workspaces = withProfileCreation(account);
  const current = useQuery({ ...profileQuery(profileId ?? ''), enabled: profileId !== undefined });
  const initial = workspaces.find(({ workspace_id: id }) => id === workspaceId) ?? workspaces[0];
  const [chosen, setChosen] = useState<string>();
  const [name, setName] = useState('');
  const [zone, setZone] = useState(() => Intl.DateTimeFormat().resolvedOptions().timeZone);
  const [typedCurrency, setCurrency] = useState<string>();
  const currency = typedCurrency ?? current.data?.reporting_currency ?? 'USD';
  const target = chosen ?? initial?.workspace_id ?? '';
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const create = useMutation({
    mutationFn: async () => {
      const body = { workspace_id: target, name, time_zone: zone, reporting_currency: currency };
      return (await accountClient.createProfile({ body })).data;
    },
    onSuccess: async ({ id }) => {
      await queryClient.invalidateQueries(accountQuery);
      void queryClient.invalidateQueries({ queryKey: ['workspace', target, 'profiles'] });
      onClose();
      await navigate({ to: '/p/$profileId/set-up', params: { profileId: id }, search: readReportSearch({}) });
    },
  });
  return (
    <Dialog title={t.profiles.add} isOpen onClose={onClose}>
      <p className="text-soft">{t.profiles.createAbout}</p>
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate();
        }}
      >
        {workspaces.length > 1 && (
          <Labelled title={t.profiles.workspace}>
            {(id) => (
              <select id={id} className="field" value={target} onChange={(event) => setChosen(event.target.value)}>
                {workspaces.map((one) => (
                  <option key={one.workspace_id} value={one.workspace_id}>
                    {one.workspace_name}
                  </option>
                ))}
              </select>
            )}
          </Labelled>
        )}
        <Labelled title={t.common.name}>
          {(id) => (
            <input
              id={id}
              className="field"
              required
              maxLength={200}
              autoComplete="off"
              placeholder={t.profiles.nameExample}
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
          )}
        </Labelled>
        <CurrencyField value={currency} onChange={setCurrency} />
        <TimeZoneField value={zone} onChange={setZone} />
        <Failed error={create.error} />
        <div className="flex flex-wrap justify-end gap-3">
          <button type="button" className="button" onClick={onClose}>
            {t.common.cancel}
          </button>
          <button type="submit" className="button-main" disabled={create.isPending || name.trim() === ''}>
            {t.profiles.create}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
