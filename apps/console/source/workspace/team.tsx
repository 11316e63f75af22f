import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Role } from '@tributary/contract';
import { useState } from 'react';
import { accountClient } from '../client.ts';
import { longDay, words } from '../format.ts';
import { useMembership } from '../membership.ts';
import { t } from '../messages/index.ts';
import { Copy } from '../parts/copy.tsx';
import { LineForm, TitledField } from '../parts/line-form.tsx';
import { Failed, Page } from '../parts/page.tsx';
import { PasswordDialog } from '../parts/password-dialog.tsx';
import { PasswordField } from '../parts/password-field.tsx';
import { QueryResult } from '../parts/states.tsx';
import { scopesOf } from '../vocabulary.ts';
import { creatorOf } from './creator.ts';
import { invitationsQuery, type Member, membersQuery } from './queries.ts';
import { RemoveMember } from './remove-member.tsx';

const roleNames = Object.keys(scopesOf) as Role[];
const managers: readonly string[] = ['owner', 'admin'];

/** The members of the workspace, their roles, and open invitations. */
export function Team() {
  const { workspaceId = '', role } = useMembership();
  const isManager = role !== undefined && managers.includes(role);
  const members = useQuery({ ...membersQuery(workspaceId), enabled: workspaceId !== '' });
  return (
    <Page title={t.pages.team} about={t.team.about}>
      <div className="grid gap-5">
        <QueryResult query={members}>
          {(all) => (
            <ul aria-label={t.team.members} className="card grid gap-3 p-5">
              {all.map((member) => (
                <MemberLine key={member.user_id} workspaceId={workspaceId} member={member} isManager={isManager} />
              ))}
            </ul>
          )}
        </QueryResult>
        {isManager && <Invitations workspaceId={workspaceId} />}
      </div>
    </Page>
  );
}

function MemberLine({
  workspaceId,
  member,
  isManager,
}: {
  readonly workspaceId: string;
  readonly member: Member;
  readonly isManager: boolean;
}) {
  const { user_id: userId, name, email, role } = member;
  const queryClient = useQueryClient();
  const params = { workspaceId, userId };
  const onSuccess = () => queryClient.invalidateQueries(membersQuery(workspaceId));
  // The API rejects ownership changes by other roles, even with the password.
  const isOwner = useMembership().role === 'owner';
  // The role to assign once the password is entered.
  const [wanted, setWanted] = useState<Role>();
  const change = useMutation({
    mutationFn: ({ to, password }: { readonly to: Role; readonly password?: string }) =>
      accountClient.updateMember({ params, body: { role: to, ...(password && { current_password: password }) } }),
    onSuccess: () => {
      setWanted(undefined);
      return onSuccess();
    },
  });
  return (
    <li className="flex flex-wrap items-center justify-between gap-3 border-line border-b pb-3 last:border-b-0 last:pb-0">
      <span>
        {name}
        <span className="label block">{email}</span>
      </span>
      {isManager ? (
        <span className="flex gap-2">
          <select
            aria-label={t.team.roleOf(name)}
            className="field"
            value={role}
            disabled={change.isPending}
            onChange={({ target }) => {
              const to = target.value as Role;
              if (isOwner && (to === 'owner' || role === 'owner')) setWanted(to);
              else change.mutate({ to });
            }}
          >
            {roleNames.map((one) => (
              <option key={one} value={one}>
                {words(one)}
              </option>
            ))}
          </select>
          <RemoveMember workspaceId={workspaceId} member={member} onRemoved={onSuccess} />
        </span>
      ) : (
        words(role)
      )}
      {wanted ? (
        <PasswordDialog
          title={t.team.changeOwner(name)}
          about={wanted === 'owner' ? t.team.ownerAbout : t.team.noOwnerAbout}
          button={t.team.changeRole}
          error={change.error}
          isPending={change.isPending}
          onSubmit={(password) => change.mutate({ to: wanted, password })}
          onClose={() => setWanted(undefined)}
        />
      ) : (
        <Failed error={change.error} />
      )}
    </li>
  );
}

function Invitations({ workspaceId }: { readonly workspaceId: string }) {
  const queryClient = useQueryClient();
  const [role, setRole] = useState<Role>('viewer');
  const [password, setPassword] = useState('');
  const open = useQuery(invitationsQuery(workspaceId));
  const onSuccess = () => queryClient.invalidateQueries(invitationsQuery(workspaceId));
  const invite = useMutation({
    mutationFn: async () => {
      const body = { role, ...(role === 'owner' && { current_password: password }) };
      return (await accountClient.createInvitation({ params: { workspaceId }, body })).data;
    },
    onSuccess,
  });
  const revoke = useMutation({
    mutationFn: (invitationId: string) => accountClient.deleteInvitation({ params: { workspaceId, invitationId } }),
    onSuccess,
  });
  const pending = open.data?.filter(({ status }) => status === 'pending') ?? [];
  return (
    <section className="card grid gap-3 p-5" aria-labelledby="invite">
      <h2 id="invite">{t.team.invite}</h2>
      <LineForm onSubmit={() => invite.mutate()}>
        <TitledField title={t.team.role}>
          <select className="field" value={role} onChange={({ target }) => setRole(target.value as Role)}>
            {roleNames.map((one) => (
              <option key={one} value={one}>
                {words(one)}
              </option>
            ))}
          </select>
        </TitledField>
        {role === 'owner' && <PasswordField value={password} onChange={setPassword} />}
        <button type="submit" className="button-main" disabled={invite.isPending}>
          {t.common.makeLink}
        </button>
      </LineForm>
      <Failed error={invite.error ?? revoke.error} />
      {invite.data?.url && (
        <p className="flex flex-wrap items-center gap-3">
          <code className="break-all">{invite.data.url}</code>{' '}
          <Copy text={invite.data.url} about={t.team.theInvitation} />
          <span className="label">{t.team.once}</span>
        </p>
      )}
      {pending.length > 0 && (
        <ul aria-label={t.team.open} className="grid gap-2">
          {pending.map(({ id, role: invited, email, created_by: by, expires_at: expires }) => (
            <li key={id} className="flex flex-wrap items-center justify-between gap-3 border-line border-t pt-2">
              <span>
                {email ?? t.team.whoever}
                {t.team.as(words(invited).toLowerCase())}
                <span className="label block">
                  {t.team.until(longDay(expires.slice(0, 10)))}
                  {by && `, ${t.team.createdBy(creatorOf(by))}`}
                </span>
              </span>
              <button type="button" className="button" disabled={revoke.isPending} onClick={() => revoke.mutate(id)}>
                {t.team.revoke}
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
