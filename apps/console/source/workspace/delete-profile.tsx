import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { accountClient } from '../client.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Labelled } from '../parts/labelled.tsx';
import { Failed } from '../parts/page.tsx';
import { say } from '../words/index.ts';

interface DeleteProfileProps {
  readonly workspaceId: string;
  readonly profile: { readonly id: string; readonly name: string };
  readonly onDeleted: () => void;
  readonly onClose: () => void;
}

/** Deletes a profile after its name was typed: the deletion cannot be undone. */
export function DeleteProfile({ workspaceId, profile, onDeleted, onClose }: DeleteProfileProps) {
  const [typed, setTyped] = useState('');
  const remove = useMutation({
    mutationFn: () => accountClient.deleteProfile({ params: { workspaceId, profileId: profile.id } }),
    onSuccess: onDeleted,
  });
  return (
    <Dialog title={say.profiles.removeAsk(profile.name)} role="alertdialog" isOpen onClose={onClose}>
      <p>{say.profiles.removeAbout}</p>
      <form
        className="grid gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          remove.mutate();
        }}
      >
        <Labelled title={say.profiles.typeName(profile.name)}>
          {(id) => (
            <input
              id={id}
              className="field"
              autoComplete="off"
              value={typed}
              onChange={({ target }) => setTyped(target.value)}
            />
          )}
        </Labelled>
        <Failed error={remove.error} />
        <div className="flex flex-wrap justify-end gap-3">
          <button type="button" className="button" onClick={onClose}>
            {say.common.cancel}
          </button>
          <button
            type="submit"
            className="button-main bg-problem"
            disabled={remove.isPending || typed.trim() !== profile.name.trim()}
          >
            {say.profiles.removeButton}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
