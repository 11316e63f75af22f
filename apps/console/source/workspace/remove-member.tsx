import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { accountClient } from '../client.ts';
import { words } from '../format.ts';
import { t } from '../messages/index.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Failed } from '../parts/page.tsx';
import { PasswordField } from '../parts/password-field.tsx';
import { QueryResult } from '../parts/states.tsx';
import { type CreatedByMember, createdByMemberQuery, type Member } from './queries.ts';

interface RemoveMemberProps {
  readonly workspaceId: string;
  readonly member: Member;
  readonly onRemoved: () => void;
}

/** Removes a member after showing the resources they leave behind. */
export function RemoveMember({ workspaceId, member, onRemoved }: RemoveMemberProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" className="button" onClick={() => setOpen(true)}>
        {t.team.remove}
      </button>
      <Dialog title={t.team.removeAsk(member.name)} role="alertdialog" isOpen={isOpen} onClose={() => setOpen(false)}>
        <Question workspaceId={workspaceId} member={member} onRemoved={onRemoved} onClose={() => setOpen(false)} />
      </Dialog>
    </>
  );
}

function Question({ workspaceId, member, onRemoved, onClose }: RemoveMemberProps & { readonly onClose: () => void }) {
  const params = { workspaceId, userId: member.user_id };
  const created = useQuery(createdByMemberQuery(workspaceId, member.user_id));
  const [isRevoking, setRevoking] = useState(true);
  const [password, setPassword] = useState('');
  const isOwner = member.role === 'owner';
  const remove = useMutation({
    mutationFn: () => {
      const body = { revoke_created: isRevoking, ...(isOwner && { current_password: password }) };
      return accountClient.deleteMember({ params, body });
    },
    onSuccess: () => {
      onClose();
      onRemoved();
    },
  });
  return (
    <>
      <QueryResult query={created}>
        {({ data: rows, meta }) =>
          rows.length === 0 ? (
            <p className="text-soft">{t.team.createdNothing}</p>
          ) : (
            <>
              <p>{t.team.createdAbout(member.name)}</p>
              <ul aria-label={t.team.created} className="grid max-h-56 gap-1 overflow-y-auto">
                {rows.map((row) => (
                  <li key={row.id}>
                    {t.team.createdKinds[row.kind]}: {nameOf(row)}
                    {row.profile_name && <span className="label"> {row.profile_name}</span>}
                  </li>
                ))}
                {meta.has_more && <li>…</li>}
              </ul>
              <label className="flex items-start gap-2">
                <input
                  type="checkbox"
                  className="mt-1"
                  checked={isRevoking}
                  onChange={({ target }) => setRevoking(target.checked)}
                />
                {t.team.revokeCreated}
              </label>
            </>
          )
        }
      </QueryResult>
      {isOwner && <PasswordField value={password} onChange={setPassword} />}
      <Failed error={remove.error} />
      <div className="flex flex-wrap justify-end gap-3">
        <button type="button" className="button" onClick={onClose}>
          {t.common.cancel}
        </button>
        <button
          type="button"
          className="button-main"
          disabled={remove.isPending || created.isPending || (isOwner && password === '')}
          onClick={() => remove.mutate()}
        >
          {t.team.remove}
        </button>
      </div>
    </>
  );
}

/** Scheduled reports are named by their page, invitations by an e-mail address or a role. */
const nameOf = ({ kind, name }: CreatedByMember): string => {
  if (name === null) return t.account.anAssistant;
  const isWord = kind === 'report_mail' || (kind === 'invitation' && !name.includes('@'));
  return isWord ? words(name) : name;
};
