import { useMutation } from '@tanstack/react-query';
import { Link, useRouterState } from '@tanstack/react-router';
import { TributaryError } from '@tributary/sdk';
import { useState } from 'react';
import { accountClient } from '../client.ts';
import { EntryField, EntryPage, readForm } from '../parts/entry-page.tsx';
import { Failed } from '../parts/page.tsx';
import { useTitle } from '../parts/use-title.ts';
import { say } from '../messages/index.ts';
import { language } from '../messages/language.ts';

/** Requests a reset link by e-mail. */
export function ForgotPassword() {
  useTitle(say.forgot.title);
  const request = useMutation({
    mutationFn: (email: string) => accountClient.requestPasswordReset({ body: { email, language } }),
  });
  const isWithoutMail = request.error instanceof TributaryError && request.error.is('invalid_state');
  return (
    <EntryPage>
      <h1>{say.forgot.title}</h1>
      {request.isSuccess ? (
        <p role="status">{say.forgot.sent}</p>
      ) : (
        <form
          className="grid gap-4"
          onSubmit={(event) => {
            event.preventDefault();
            request.mutate(readForm(event.currentTarget).email ?? '');
          }}
        >
          <p className="text-soft">{say.forgot.about}</p>
          {isWithoutMail ? (
            <p role="alert" className="border-problem border-l-2 pl-3">
              {say.forgot.noMail} <code className="break-all">tributary user reset</code>
            </p>
          ) : (
            <Failed error={request.error} />
          )}
          <EntryField label={say.signIn.email} name="email" type="email" autoComplete="username" />
          <button className="button-main" type="submit" disabled={request.isPending}>
            {say.forgot.send}
          </button>
        </form>
      )}
      <Link className="text-accent underline" to="/sign-in">
        {say.forgot.back}
      </Link>
    </EntryPage>
  );
}

/** Sets a new password with the token of the link. */
export function ResetPassword() {
  useTitle(say.forgot.choose);
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
      <h1>{say.forgot.choose}</h1>
      {save.isSuccess && (
        <>
          <p role="status">{say.forgot.saved}</p>
          <Link className="button-main text-center" to="/sign-in">
            {say.signIn.signIn}
          </Link>
        </>
      )}
      {!save.isSuccess && isInvalid && (
        <>
          <p role="alert">{say.forgot.invalid}</p>
          <Link className="text-accent underline" to="/forgot-password">
            {say.forgot.again}
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
          <EntryField label={say.forgot.newPassword} name="password" type="password" autoComplete="new-password" />
          <button className="button-main" type="submit" disabled={save.isPending}>
            {say.forgot.save}
          </button>
        </form>
      )}
    </EntryPage>
  );
}
