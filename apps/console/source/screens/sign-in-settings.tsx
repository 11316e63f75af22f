import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useId } from 'react';
import { accountClient } from '../client.ts';
import { Brand } from '../parts/brand.tsx';
import { Answered } from '../parts/states.tsx';
import { useTitle } from '../parts/use-title.ts';
import { addPasskey, canUsePasskeys } from '../passkeys.ts';
import { accountQuery, passkeysQuery, sessionsQuery } from '../queries.ts';

/** How somebody signs in, and where they are signed in. */
export function SignInSettings() {
  useTitle('Account');
  const account = useQuery(accountQuery);
  return (
    <main className="mx-auto grid max-w-2xl gap-6 px-4 py-6">
      <div className="flex items-center justify-between gap-4">
        <Brand />
        <a className="text-accent underline" href="/">
          Back to the reports
        </a>
      </div>
      <h1>Account</h1>
      <Answered query={account}>
        {({ email, is_two_factor_enabled: isEnabled }) => (
          <>
            <p className="text-soft">{email}</p>
            <ChangePassword />
            {isEnabled ? <HasSecondFactor /> : <NoSecondFactor />}
            <Passkeys />
            <Sessions />
          </>
        )}
      </Answered>
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
    <Section title="Password">
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
            Password now
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
            New password
          </label>
          <input id={next} className="field" name="next" type="password" autoComplete="new-password" required />
        </div>
        <button type="submit" className="button-main" disabled={change.isPending}>
          Change it
        </button>
      </form>
      {change.isSuccess && <p role="status">Changed. Every other session has ended.</p>}
      {change.error && (
        <p role="alert" className="border-problem border-l-2 pl-3 text-problem">
          {change.error.message}
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
      <Section title="Second factor">
        <p>Off. With one, your password alone opens nothing: signing in also takes a code from an app on your phone.</p>
        <Ask label="Your password" type="password" button="Set up" error={begin.error} onSubmit={begin.mutate} />
      </Section>
    );
  return (
    <Section title="Second factor">
      <p>1. Add this to your authenticator, by its address or by its key. It is not shown again.</p>
      <p>
        <a className="break-all text-accent underline" href={begun.otpauth_url}>
          {begun.otpauth_url}
        </a>
      </p>
      <p>
        Key: <code className="break-all">{new URL(begun.otpauth_url).searchParams.get('secret')}</code>
      </p>
      <p>2. Keep these recovery codes somewhere safe. Each works once, in place of a code.</p>
      <ul className="grid grid-cols-2 gap-x-6 gap-y-1">
        {begun.recovery_codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <p>3. Type what the authenticator shows. Other sessions end, and assistants have to be allowed again.</p>
      <Ask label="Code" type="text" button="Confirm" error={confirm.error} onSubmit={confirm.mutate} />
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
    <Section title="Second factor">
      <p>On. Signing in takes your password and a code.</p>
      <Ask label="Your password" type="password" button="Give it up" error={disable.error} onSubmit={disable.mutate} />
    </Section>
  );
}

function Passkeys() {
  const changed = useAccountChanged();
  const passkeys = useQuery(passkeysQuery);
  const add = useMutation({
    mutationFn: (password: string) => addPasskey(`Added ${new Date().toLocaleDateString()}`, password),
    onSuccess: changed,
  });
  const giveUp = useMutation({
    mutationFn: (id: string) => accountClient.deletePasskey({ params: { id } }),
    onSuccess: changed,
  });
  return (
    <Section title="Passkeys">
      <p>With one, your device signs you in by finger, face or PIN: no password and no code.</p>
      <Answered query={passkeys}>
        {(rows) => (
          <ul className="grid gap-3">
            {rows.map(({ id, name }) => (
              <li key={id} className="flex flex-wrap items-center justify-between gap-3 border-line border-t pt-3">
                <span>{name}</span>
                <button type="button" className="button" onClick={() => giveUp.mutate(id)} disabled={giveUp.isPending}>
                  Give it up
                </button>
              </li>
            ))}
          </ul>
        )}
      </Answered>
      {canUsePasskeys() ? (
        <Ask label="Your password" type="password" button="Add a passkey" error={add.error} onSubmit={add.mutate} />
      ) : (
        <p className="label">This browser can make none here: it wants HTTPS, and a name in the address.</p>
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
  const when = (time: string) => new Date(time).toLocaleString();
  return (
    <Section title="Where you are signed in">
      <Answered query={sessions}>
        {(rows) => (
          <ul className="grid gap-3">
            {rows.map(({ id, created_at, last_used_at, is_current }) => (
              <li key={id} className="flex flex-wrap items-center justify-between gap-3 border-line border-t pt-3">
                <span>
                  Since {when(created_at)}
                  {is_current && <strong> · here</strong>}
                  <span className="label block">
                    {last_used_at ? `last used ${when(last_used_at)}` : 'not used since'}
                  </span>
                </span>
                {!is_current && (
                  <button type="button" className="button" onClick={() => end.mutate(id)} disabled={end.isPending}>
                    End
                  </button>
                )}
              </li>
            ))}
          </ul>
        )}
      </Answered>
    </Section>
  );
}

function Section({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="card grid gap-3 p-6">
      <h2>{title}</h2>
      {children}
    </section>
  );
}

/** One field and what is done with it. */
function Ask({
  label,
  type,
  button,
  error,
  onSubmit,
}: {
  readonly label: string;
  readonly type: 'password' | 'text';
  readonly button: string;
  readonly error: Error | null;
  readonly onSubmit: (value: string) => void;
}) {
  const field = useId();
  return (
    <form
      className="flex flex-wrap items-end gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit(String(new FormData(event.currentTarget).get('value')).trim());
      }}
    >
      <div className="grid gap-1">
        <label htmlFor={field} className="label">
          {label}
        </label>
        <input
          id={field}
          className="field"
          name="value"
          type={type}
          autoComplete={type === 'password' ? 'current-password' : 'one-time-code'}
          required
        />
      </div>
      <button type="submit" className="button-main">
        {button}
      </button>
      {error && (
        <p role="alert" className="w-full border-problem border-l-2 pl-3 text-problem">
          {error.message}
        </p>
      )}
    </form>
  );
}
