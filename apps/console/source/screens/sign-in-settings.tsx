import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { QRCodeSVG } from 'qrcode.react';
import { useId } from 'react';
import { accountClient } from '../client.ts';
import { today } from '../date-range.ts';
import { localMoment, longDay } from '../format.ts';
import { t } from '../messages/index.ts';
import { Brand } from '../parts/brand.tsx';
import { Section, SingleFieldForm } from '../parts/single-field-form.tsx';
import { QueryResult } from '../parts/states.tsx';
import { useTitle } from '../parts/use-title.ts';
import { addPasskey, canUsePasskeys } from '../passkeys.ts';
import { problemOf } from '../problem.ts';
import { accountQuery, passkeysQuery, sessionsQuery } from '../queries.ts';
import { DeletedWorkspaces } from '../workspace/deleted-workspaces.tsx';
import { Assistants } from './assistants.tsx';

/** The sign-in methods of the account and its active sessions. */
export function SignInSettings() {
  useTitle(t.frame.account);
  const account = useQuery(accountQuery);
  return (
    <main className="mx-auto grid max-w-2xl gap-6 px-4 py-6">
      <div className="flex items-center justify-between gap-4">
        <Brand />
        <a className="text-accent underline" href="/">
          {t.account.backToReports}
        </a>
      </div>
      <h1>{t.frame.account}</h1>
      <QueryResult query={account}>
        {(found) => (
          <>
            <p className="text-soft">{found.email}</p>
            <ChangePassword />
            {found.is_two_factor_enabled ? <HasSecondFactor /> : <NoSecondFactor />}
            <Passkeys />
            <Sessions />
            <Assistants account={found} />
            <DeletedWorkspaces />
          </>
        )}
      </QueryResult>
    </main>
  );
}

const useAccountChanged = () => {
  const queryClient = useQueryClient();
  return () => queryClient.invalidateQueries({ queryKey: ['account'] });
};

function ChangePassword() {
  const changed = useAccountChanged();
  const [current, next] = [useId(), useId()];
  const change = useMutation({
    mutationFn: (body: { current_password: string; new_password: string }) => accountClient.updatePassword({ body }),
    onSuccess: changed,
  });
  return (
    <Section title={t.account.password}>
      <form
        className="flex flex-wrap items-end gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          const form = event.currentTarget;
          const values = new FormData(form);
          change.mutate(
            { current_password: String(values.get('current')), new_password: String(values.get('next')) },
            { onSuccess: () => form.reset() },
          );
        }}
      >
        <div className="grid gap-1">
          <label htmlFor={current} className="label">
            {t.account.passwordNow}
          </label>
          <input
            id={current}
            className="field"
            name="current"
            type="password"
            autoComplete="current-password"
            required
          />
        </div>
        <div className="grid gap-1">
          <label htmlFor={next} className="label">
            {t.account.newPassword}
          </label>
          <input id={next} className="field" name="next" type="password" autoComplete="new-password" required />
        </div>
        <button type="submit" className="button-main" disabled={change.isPending}>
          {t.account.changeIt}
        </button>
      </form>
      {change.isSuccess && <p role="status">{t.account.changed}</p>}
      {change.error && (
        <p role="alert" className="border-problem border-l-2 pl-3 text-problem">
          {problemOf(change.error)}
        </p>
      )}
    </Section>
  );
}

function NoSecondFactor() {
  const changed = useAccountChanged();
  const begin = useMutation({
    mutationFn: (password: string) => accountClient.createTwoFactor({ body: { current_password: password } }),
  });
  const confirm = useMutation({
    mutationFn: (code: string) => accountClient.confirmTwoFactor({ body: { code } }),
    onSuccess: changed,
  });
  const begun = begin.data?.data;
  if (!begun)
    return (
      <Section title={t.account.secondFactor}>
        <p>{t.account.factorOff}</p>
        <SingleFieldForm
          label={t.account.yourPassword}
          type="password"
          button={t.account.setUp}
          error={begin.error}
          onSubmit={begin.mutate}
        />
      </Section>
    );
  return (
    <Section title={t.account.secondFactor}>
      <p>{t.account.stepAdd}</p>
      <QRCodeSVG
        value={begun.otpauth_url}
        size={192}
        marginSize={4}
        title={t.account.qrCode}
        className="rounded border border-line"
      />
      <p>
        <a className="text-accent underline" href={begun.otpauth_url}>
          {t.account.openAuthenticator}
        </a>
      </p>
      <p>
        {t.account.key} <code className="break-all">{new URL(begun.otpauth_url).searchParams.get('secret')}</code>
      </p>
      <p>{t.account.stepKeep}</p>
      <ul className="grid grid-cols-2 gap-x-6 gap-y-1">
        {begun.recovery_codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <p>{t.account.stepType}</p>
      <SingleFieldForm
        label={t.account.code}
        type="text"
        button={t.account.confirm}
        error={confirm.error}
        onSubmit={confirm.mutate}
      />
    </Section>
  );
}

function HasSecondFactor() {
  const changed = useAccountChanged();
  const disable = useMutation({
    mutationFn: (password: string) => accountClient.disableTwoFactor({ body: { current_password: password } }),
    onSuccess: changed,
  });
  return (
    <Section title={t.account.secondFactor}>
      <p>{t.account.factorOn}</p>
      <SingleFieldForm
        label={t.account.yourPassword}
        type="password"
        button={t.account.giveUp}
        error={disable.error}
        onSubmit={disable.mutate}
      />
    </Section>
  );
}

function Passkeys() {
  const changed = useAccountChanged();
  const passkeys = useQuery(passkeysQuery);
  const add = useMutation({
    mutationFn: (password: string) => addPasskey(t.account.added(longDay(today())), password),
    onSuccess: changed,
  });
  const giveUp = useMutation({
    mutationFn: (id: string) => accountClient.deletePasskey({ params: { id } }),
    onSuccess: changed,
  });
  return (
    <Section title={t.account.passkeys}>
      <p>{t.account.passkeysAbout}</p>
      <QueryResult query={passkeys}>
        {(rows) => (
          <ul className="grid gap-3">
            {rows.map(({ id, name }) => (
              <li key={id} className="flex flex-wrap items-center justify-between gap-3 border-line border-t pt-3">
                <span>{name}</span>
                <button type="button" className="button" onClick={() => giveUp.mutate(id)} disabled={giveUp.isPending}>
                  {t.account.giveUp}
                </button>
              </li>
            ))}
          </ul>
        )}
      </QueryResult>
      {canUsePasskeys() ? (
        <SingleFieldForm
          label={t.account.yourPassword}
          type="password"
          button={t.account.addPasskey}
          error={add.error}
          onSubmit={add.mutate}
        />
      ) : (
        <p className="label">{t.account.noPasskeys}</p>
      )}
    </Section>
  );
}

function Sessions() {
  const changed = useAccountChanged();
  const sessions = useQuery(sessionsQuery);
  const end = useMutation({
    mutationFn: (id: string) => accountClient.deleteSession({ params: { id } }),
    onSuccess: changed,
  });
  const when = localMoment;
  return (
    <Section title={t.account.sessions}>
      <QueryResult query={sessions}>
        {(rows) => (
          <ul className="grid gap-3">
            {rows.map(({ id, created_at, last_used_at, is_current }) => (
              <li key={id} className="flex flex-wrap items-center justify-between gap-3 border-line border-t pt-3">
                <span>
                  {t.account.since(when(created_at))}
                  {is_current && <strong> {t.account.here}</strong>}
                  <span className="label block">
                    {last_used_at ? t.account.lastUsed(when(last_used_at)) : t.account.notUsed}
                  </span>
                </span>
                {!is_current && (
                  <button type="button" className="button" onClick={() => end.mutate(id)} disabled={end.isPending}>
                    {t.account.end}
                  </button>
                )}
              </li>
            ))}
          </ul>
        )}
      </QueryResult>
    </Section>
  );
}
