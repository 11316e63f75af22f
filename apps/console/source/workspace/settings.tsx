import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { PrivacyMode } from '@tributary/contract';
import type { ResponseOf, Routes } from '@tributary/sdk';
import { type ReactNode, useId, useState } from 'react';
import { clientFor } from '../client.ts';
import { useMembership } from '../membership.ts';
import { t } from '../messages/index.ts';
import { Labelled } from '../parts/labelled.tsx';
import { OnlyAdmins } from '../parts/only-admins.tsx';
import { Failed, Page } from '../parts/page.tsx';
import { PasswordField } from '../parts/password-field.tsx';
import { QueryResult } from '../parts/states.tsx';
import { accountQuery, profileQuery } from '../queries.ts';
import { useReportScope } from '../report-scope.ts';
import { privacyModes } from '../vocabulary.ts';
import { CurrencyField, TimeZoneField } from './profile-fields.tsx';
import { SharedLinks } from './shared-links.tsx';
import { WorkspaceProfiles } from './workspace-profiles.tsx';

type Profile = ResponseOf<Routes['readProfile']>['data'];

/** The settings of a profile, for owners and admins. */
export const Settings = () => (
  <OnlyAdmins title={t.pages.settings}>
    <SettingsPage />
  </OnlyAdmins>
);

function SettingsPage() {
  const { scope } = useReportScope();
  const profile = useQuery(profileQuery(scope.profileId));
  const { data: account } = useQuery(accountQuery);
  const membership = account?.memberships.find(({ profiles }) => profiles.some(({ id }) => id === scope.profileId));
  return (
    <Page title={t.pages.settings} about={t.settings.about}>
      <QueryResult query={profile}>
        {(found) => (
          <div className="grid gap-5">
            <Reports key={`${found.name} ${found.time_zone} ${found.reporting_currency}`} profile={found} />
            <Privacy key={found.privacy_mode} profile={found} />
            <SharedLinks profileId={found.id} />
            {membership && <WorkspaceProfiles membership={membership} current={found.id} />}
          </div>
        )}
      </QueryResult>
    </Page>
  );
}

/** Names and figures of all pages depend on the profile, so everything is refetched. */
function useProfileChanged() {
  const queryClient = useQueryClient();
  return () => queryClient.invalidateQueries();
}

function Reports({ profile }: { readonly profile: Profile }) {
  const [name, setName] = useState(profile.name);
  const [zone, setZone] = useState(profile.time_zone);
  const [currency, setCurrency] = useState(profile.reporting_currency);
  const changed = {
    ...(name !== profile.name && { name }),
    ...(zone !== profile.time_zone && { time_zone: zone }),
    ...(currency !== profile.reporting_currency && { reporting_currency: currency }),
  };
  const save = useMutation({
    mutationFn: () => clientFor(profile.id).updateProfile({ body: changed }),
    onSuccess: useProfileChanged(),
  });
  const isOther = currency !== profile.reporting_currency;
  return (
    <Part title={t.settings.profile} onSubmit={() => save.mutate()}>
      <Labelled title={t.common.name}>
        {(id) => (
          <input
            id={id}
            className="field"
            required
            maxLength={200}
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
        )}
      </Labelled>
      <TimeZoneField value={zone} onChange={setZone} />
      <CurrencyField value={currency} onChange={setCurrency} />
      {isOther && <Warning>{t.settings.currencyCosts}</Warning>}
      <Save isPending={save.isPending} isIdle={Object.keys(changed).length === 0}>
        {isOther ? t.settings.convert : t.settings.save}
      </Save>
      <Failed error={save.error} />
    </Part>
  );
}

function Privacy({ profile }: { readonly profile: Profile }) {
  const { role } = useMembership();
  const [mode, setMode] = useState<PrivacyMode>(profile.privacy_mode);
  const [password, setPassword] = useState('');
  const isLooser = privacyModes.indexOf(mode) < privacyModes.indexOf(profile.privacy_mode);
  const isRefused = isLooser && role !== 'owner';
  const save = useMutation({
    mutationFn: () =>
      clientFor(profile.id).updatePrivacy({
        body: { privacy_mode: mode, ...(isLooser && { current_password: password }) },
      }),
    onSuccess: useProfileChanged(),
  });
  const isOther = mode !== profile.privacy_mode;
  return (
    <Part title={t.settings.privacy} onSubmit={() => save.mutate()}>
      <Labelled title={t.settings.privacyMode} about={t.settings.modesAbout[mode]}>
        {(id) => (
          <select
            id={id}
            className="field"
            value={mode}
            onChange={({ target }) => setMode(target.value as PrivacyMode)}
          >
            {privacyModes.map((one) => (
              <option key={one} value={one}>
                {t.settings.modes[one]}
              </option>
            ))}
          </select>
        )}
      </Labelled>
      {isRefused && <Warning>{t.settings.onlyOwner}</Warning>}
      {isOther && !isRefused && <Warning>{isLooser ? t.settings.looser : t.settings.tighter}</Warning>}
      {isLooser && !isRefused && <PasswordField value={password} onChange={setPassword} />}
      <Save isPending={save.isPending} isIdle={!isOther || isRefused}>
        {t.settings.changePrivacy}
      </Save>
      <Failed error={save.error} />
    </Part>
  );
}

function Part({
  title,
  onSubmit,
  children,
}: {
  readonly title: string;
  readonly onSubmit: () => void;
  readonly children: ReactNode;
}) {
  const id = useId();
  return (
    <form
      aria-labelledby={id}
      className="card grid max-w-xl gap-4 p-5"
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </form>
  );
}

const Warning = ({ children }: { readonly children: string }) => (
  <p role="status" className="border-problem border-l-2 pl-3">
    {children}
  </p>
);

const Save = ({
  isPending,
  isIdle,
  children,
}: {
  readonly isPending: boolean;
  readonly isIdle: boolean;
  readonly children: string;
}) => (
  <button type="submit" className="button-main justify-self-start" disabled={isPending || isIdle}>
    {children}
  </button>
);
