import { useMutation } from '@tanstack/react-query';
import { Link, useRouterState } from '@tanstack/react-router';
import { TributaryError } from '@tributary/sdk';
import { useState } from 'react';
import { accountClient } from '../client.ts';
import { t } from '../messages/index.ts';
import { language } from '../messages/language.ts';
import { EntryField, EntryPage, readForm } from '../parts/entry-page.tsx';
import { Failed } from '../parts/page.tsx';
import { useTitle } from '../parts/use-title.ts';

/** Requests a reset link by e-mail. */
export function ForgotPassword() {
  useTitle(t.forgot.title);
  const request = useMutation({
    mutationFn: (email: string) => accountClient.requestPasswordReset({ body: { email, language } }),
  });
  const isWithoutMail = request.error instanceof TributaryError && request.error.is('invalid_state');
  return (
    <EntryPage>
      <h1>{t.forgot.title}</h1>
      {request.isSuccess ? (
        <p role="status">{t.forgot.sent}</p>
      ) : (
        <form
          className="grid gap-4"
          onSubmit={(event) => {
            event.preventDefault();
            request.mutate(readForm(event.currentTarget).email ?? '');
          }}
        >
          <p className="text-soft">{t.forgot.about}</p>
          {isWithoutMail ? (
            <p role="alert" className="border-problem border-l-2 pl-3">
              {t.forgot.noMail} <code className="break-all">tributary user reset</code>
            </p>
          ) : (
            <Failed error={request.error} />
          )}
          <EntryField label={t.signIn.email} name="email" type="email" autoComplete="username" />
          <button className="button-main" type="submit" disabled={request.isPending}>
            {t.forgot.send}
          </button>
        </form>
      )}
      <Link className="text-accent underline" to="/sign-in">
        {t.forgot.back}
      </Link>
    </EntryPage>
  );
}

/** Sets a new password with the token of the link. */
export function ResetPassword() {
  useTitle(t.forgot.choose);
  const token = useRouterState({ select: ({ location }) => location.hash });
  // The URL is cleared once the token is used, but the form needs it until then.
  const [initialToken] = useState(token);
  const save = useMutation({
    mutationFn: (password: string) =>
      accountClient.completePasswordReset({ body: { token: initialToken, new_password: password } }),
  });
  const isInvalid = !initialToken || (save.error instanceof TributaryError && save.error.is('not_found'));
  return (
    <EntryPage>
      <h1>{t.forgot.choose}</h1>
      {save.isSuccess && (
        <>
          <p role="status">{t.forgot.saved}</p>
          <Link className="button-main text-center" to="/sign-in">
            {t.signIn.signIn}
          </Link>
        </>
      )}
      {!save.isSuccess && isInvalid && (
        <>
          <p role="alert">{t.forgot.invalid}</p>
          <Link className="text-accent underline" to="/forgot-password">
            {t.forgot.again}
          </Link>
        </>
      )}
      {!save.isSuccess && !isInvalid && (
        <form
          className="grid gap-4"
          onSubmit={(event) => {
            event.preventDefault();
            save.mutate(readForm(event.currentTarget).password ?? '');
          }}
        >
          <Failed error={save.error} />
          <EntryField label={t.forgot.newPassword} name="password" type="password" autoComplete="new-password" />
          <button className="button-main" type="submit" disabled={save.isPending}>
            {t.forgot.save}
          </button>
        </form>
      )}
    </EntryPage>
  );
}
