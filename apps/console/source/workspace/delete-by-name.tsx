import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { t } from '../messages/index.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Labelled } from '../parts/labelled.tsx';
import { Failed } from '../parts/page.tsx';
import { PasswordField } from '../parts/password-field.tsx';

interface DeleteByNameProps {
  readonly name: string;
  readonly about: string;
  readonly button: string;
  readonly remove: (password: string) => Promise<unknown>;
  readonly onDeleted: () => void;
  readonly onClose: () => void;
  /** An additional option. */
  readonly children?: ReactNode;
}

/** Deletes something after its name and the password were typed. */
export function DeleteByName({ name, about, button, remove, onDeleted, onClose, children }: DeleteByNameProps) {
  const [typed, setTyped] = useState('');
  const [password, setPassword] = useState('');
  const removal = useMutation({ mutationFn: () => remove(password), onSuccess: onDeleted });
  return (
    <Dialog title={t.profiles.removeAsk(name)} role="alertdialog" isOpen onClose={onClose}>
      <p>{about}</p>
      <form
        className="grid gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          removal.mutate();
        }}
      >
        <Labelled title={t.profiles.typeName(name)}>
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
        <PasswordField value={password} onChange={setPassword} />
        {children}
        <Failed error={removal.error} />
        <div className="flex flex-wrap justify-end gap-3">
          <button type="button" className="button" onClick={onClose}>
            {t.common.cancel}
          </button>
          <button
            type="submit"
            className="button-main bg-problem"
            disabled={removal.isPending || password === '' || typed.trim() !== name.trim()}
          >
            {button}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
