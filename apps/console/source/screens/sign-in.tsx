import { useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useRouter } from '@tanstack/react-router';
import { TributaryError } from '@tributary/sdk';
import { useId } from 'react';
import { accountClient } from '../client.ts';
import { t } from '../messages/index.ts';
import { Brand } from '../parts/brand.tsx';
import { LanguagePicker } from '../parts/language-picker.tsx';
import { useTitle } from '../parts/use-title.ts';
import { canUsePasskeys, signInWithPasskey } from '../passkeys.ts';
import { problemOf } from '../problem.ts';

const route = getRouteApi('/sign-in');

export function SignIn() {
  useTitle(t.signIn.signIn);
  const { next = '/' } = route.useSearch();
  const router = useRouter();
  const queryClient = useQueryClient();
  const [email, password] = [useId(), useId()];
  const goOn = () => {
    // Clears data that a previous account of this browser loaded.
    queryClient.clear();
    router.history.push(next);
  };
  const signIn = useMutation({
    mutationFn: (body: { email: string; password: string }) => accountClient.signIn({ body }),
    onSuccess: ({ data }) => 'challenge' in data || goOn(),
  });
  const byPasskey = useMutation({ mutationFn: signInWithPasskey, onSuccess: goOn });
  const failure = signIn.error ? wordsFor(signIn.error) : byPasskey.error?.message;
  const challenge = signIn.data && 'challenge' in signIn.data.data ? signIn.data.data.challenge : undefined;
  return (
    <main className="grid min-h-dvh place-items-center p-4">
      <div className="w-full max-w-sm">
        <Brand />
        {challenge && <SecondStep challenge={challenge} goOn={goOn} again={signIn.reset} />}
        <form
          className="card mt-6 grid gap-4 p-6"
          hidden={challenge !== undefined}
          onSubmit={(event) => {
            event.preventDefault();
            const form = new FormData(event.currentTarget);
            signIn.mutate({ email: String(form.get('email')), password: String(form.get('password')) });
          }}
        >
          <h1>{t.signIn.signIn}</h1>
          {failure && (
            <p role="alert" className="border-problem border-l-2 pl-3 text-problem">
              {failure}
            </p>
          )}
          <div className="grid gap-1">
            <label htmlFor={email} className="label">
              {t.signIn.email}
            </label>
            <input id={email} className="field" name="email" type="email" autoComplete="username" required />
          </div>
          <div className="grid gap-1">
            <label htmlFor={password} className="label">
              {t.account.password}
            </label>
            <input
              id={password}
              className="field"
              name="password"
              type="password"
              autoComplete="current-password"
              required
            />
          </div>
          <button className="button-main" type="submit" disabled={signIn.isPending}>
            {signIn.isPending ? t.signIn.signingIn : t.signIn.signIn}
          </button>
          {canUsePasskeys() && (
            <button className="button" type="button" disabled={byPasskey.isPending} onClick={() => byPasskey.mutate()}>
              {t.signIn.withPasskey}
            </button>
          )}
          <Link className="justify-self-start text-accent underline" to="/forgot-password">
            {t.forgot.link}
          </Link>
        </form>
        <p className="label mt-4">
          {t.signIn.accounts}{' '}
          <a className="text-accent underline" href="/docs">
            {t.signIn.reference}
          </a>
          .
        </p>
        <LanguagePicker className="mt-4 w-40" />
      </div>
    </main>
  );
}

function SecondStep({
  challenge,
  goOn,
  again,
}: {
  readonly challenge: string;
  readonly goOn: () => void;
  readonly again: () => void;
}) {
  const field = useId();
  const complete = useMutation({
    mutationFn: (code: string) => accountClient.completeSignIn({ body: { challenge, code } }),
    onSuccess: goOn,
  });
  return (
    <form
      className="card mt-6 grid gap-4 p-6"
      onSubmit={(event) => {
        event.preventDefault();
        complete.mutate(String(new FormData(event.currentTarget).get('code')).trim());
      }}
    >
      <h1>{t.signIn.yourCode}</h1>
      {complete.isError && (
        <p role="alert" className="border-problem border-l-2 pl-3 text-problem">
          {problemOf(complete.error)}
        </p>
      )}
      <div className="grid gap-1">
        <label htmlFor={field} className="label">
          {t.signIn.sixDigits}
        </label>
        <input id={field} className="field" name="code" autoComplete="one-time-code" required />
      </div>
      <button className="button-main" type="submit" disabled={complete.isPending}>
        {t.signIn.signIn}
      </button>
      <button className="button" type="button" onClick={again}>
        {t.signIn.again}
      </button>
    </form>
  );
}

function wordsFor(error: Error): string {
  const isWrong = error instanceof TributaryError && error.is('unauthorized');
  return isWrong ? t.signIn.wrong : problemOf(error);
}
