import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useRouter, useRouterState } from '@tanstack/react-router';
import { TributaryError } from '@tributary/sdk';
import type { ReactNode } from 'react';
import { accountClient } from '../client.ts';
import { longDay, words } from '../format.ts';
import { t } from '../messages/index.ts';
import { EntryField, EntryPage, readForm } from '../parts/entry-page.tsx';
import { Failed } from '../parts/page.tsx';
import { Loading, Problem } from '../parts/states.tsx';
import { useTitle } from '../parts/use-title.ts';
import { type Account, accountQuery } from '../queries.ts';

const storageKey = 'invitation';

/** Keeps the token in session storage during a detour to the sign-in page; in a query string it would reach server logs. */
function keepToken(hash: string): string {
  if (hash) sessionStorage.setItem(storageKey, hash);
  return hash || (sessionStorage.getItem(storageKey) ?? '');
}

/** The target of an invitation link: shows who invites to which workspace, and joins with a new account or the signed-in one. */
export function Invitation() {
  useTitle(t.invitation.title);
  const token = useRouterState({ select: ({ location }) => keepToken(location.hash) });
  const invitation = useQuery({
    queryKey: ['invitation', token],
    queryFn: async () => (await accountClient.readInvitation({ body: { token } })).data,
    enabled: token !== '',
    retry: false,
  });
  const account = useQuery({ ...accountQuery, retry: false });
  if (!token) return <Over title={t.invitation.missing}>{t.invitation.missingAbout}</Over>;
  if (invitation.error) return <Refused error={invitation.error} again={() => void invitation.refetch()} />;
  if (!invitation.data || account.isPending)
    return (
      <EntryPage>
        <Loading lines={3} />
      </EntryPage>
    );
  const { workspace_name: workspace, role, email, name, inviter_name: inviter, expires_at: expires } = invitation.data;
  const roleName = words(role).toLowerCase();
  return (
    <EntryPage>
      <h1>{t.invitation.join(workspace)}</h1>
      <p>{inviter ? t.invitation.by(inviter, roleName) : t.invitation.as(roleName)}</p>
      <p className="label">{t.invitation.until(longDay(expires.slice(0, 10)))}</p>
      {account.data ? (
        <JoinSignedIn token={token} account={account.data} email={email} />
      ) : (
        <JoinNew token={token} email={email} name={name} />
      )}
    </EntryPage>
  );
}

type Joining = Parameters<typeof accountClient.acceptInvitation>[0]['body'];

function useJoin() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (body: Joining) => (await accountClient.acceptInvitation({ body })).data,
    onSuccess: async ({ workspace_id: workspaceId }) => {
      sessionStorage.removeItem(storageKey);
      // Clears data that a previous account of this browser loaded.
      queryClient.clear();
      const { memberships } = await queryClient.fetchQuery(accountQuery);
      const first = memberships.find((one) => one.workspace_id === workspaceId)?.profiles.at(0);
      window.location.assign(first ? `/p/${first.id}/overview` : '/');
    },
  });
}

function JoinSignedIn({
  token,
  account,
  email,
}: {
  readonly token: string;
  readonly account: Account;
  readonly email: string | null;
}) {
  const join = useJoin();
  const leave = useSignOut();
  const isForOther = email !== null && email !== account.email;
  return (
    <>
      <p>{t.invitation.signedInAs(account.email)}</p>
      {isForOther ? (
        <p role="alert" className="border-problem border-l-2 pl-3">
          {t.invitation.forOther(email)}
        </p>
      ) : (
        <button className="button-main" type="button" disabled={join.isPending} onClick={() => join.mutate({ token })}>
          {t.invitation.accept}
        </button>
      )}
      <JoinFailed error={join.error} />
      <button className="button" type="button" disabled={leave.isPending} onClick={() => leave.mutate()}>
        {t.invitation.otherAccount}
      </button>
    </>
  );
}

function useSignOut() {
  const router = useRouter();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => accountClient.signOut({}),
    onSuccess: async () => {
      queryClient.removeQueries(accountQuery);
      await router.navigate({ to: '/sign-in', search: { next: '/invitation' } });
    },
  });
}

function JoinNew({
  token,
  email,
  name,
}: {
  readonly token: string;
  readonly email: string | null;
  readonly name: string | null;
}) {
  const join = useJoin();
  return (
    <form
      className="grid gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        const form = readForm(event.currentTarget);
        join.mutate({ token, name: form.name ?? '', email: form.email ?? '', password: form.password ?? '' });
      }}
    >
      <JoinFailed error={join.error} />
      <EntryField label={t.invitation.yourName} name="name" autoComplete="name" {...(name && { value: name })} />
      <EntryField
        label={t.signIn.email}
        name="email"
        type="email"
        autoComplete="username"
        {...(email && { value: email, isReadOnly: true })}
      />
      <EntryField label={t.invitation.password} name="password" type="password" autoComplete="new-password" />
      <button className="button-main" type="submit" disabled={join.isPending}>
        {t.invitation.create}
      </button>
      <Link className="text-accent underline" to="/sign-in" search={{ next: '/invitation' }}>
        {t.invitation.haveAccount}
      </Link>
    </form>
  );
}

/** Why an invitation cannot be used, in the reader's language; undefined for any other failure. */
function reasonFor(error: Error): string | undefined {
  if (!(error instanceof TributaryError)) return undefined;
  const { code, fields } = error;
  if (code === 'workspace_archived') return t.invitation.reasons.archived;
  const reasons: Readonly<Record<string, string>> = t.invitation.reasons;
  return code === 'invalid_state' ? reasons[(fields as { reason?: string }).reason ?? ''] : undefined;
}

function JoinFailed({ error }: { readonly error: Error | null }) {
  const reason = error && reasonFor(error);
  return reason ? (
    <p role="alert" className="border-problem border-l-2 pl-3 text-problem">
      {reason}
    </p>
  ) : (
    <Failed error={error} />
  );
}

function Refused({ error, again }: { readonly error: Error; readonly again: () => void }) {
  const isUnknown = error instanceof TributaryError && error.is('not_found');
  if (isUnknown) return <Over title={t.invitation.missing}>{t.invitation.missingAbout}</Over>;
  const reason = reasonFor(error);
  if (reason) return <Over title={t.invitation.over}>{reason}</Over>;
  return (
    <EntryPage>
      <Problem error={error} again={again} />
    </EntryPage>
  );
}

function Over({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <EntryPage>
      <h1>{title}</h1>
      <p role="alert">{children}</p>
      <Link className="text-accent underline" to="/sign-in">
        {t.invitation.signIn}
      </Link>
    </EntryPage>
  );
}
