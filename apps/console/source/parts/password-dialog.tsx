import { useState } from 'react';
import { t } from '../messages/index.ts';
import { Dialog } from './dialog.tsx';
import { Failed } from './page.tsx';
import { PasswordField } from './password-field.tsx';

interface AskPasswordProps {
  readonly title: string;
  readonly about: string;
  readonly button: string;
  readonly error: Error | null;
  readonly isPending: boolean;
  readonly onSubmit: (password: string) => void;
  readonly onClose: () => void;
}

/** A dialog that requires the password before it acts. */
export function PasswordDialog({ title, about, button, error, isPending, onSubmit, onClose }: AskPasswordProps) {
  const [password, setPassword] = useState('');
  return (
    <Dialog title={title} role="alertdialog" isOpen onClose={onClose}>
      <p>{about}</p>
      <form
        className="grid gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit(password);
        }}
      >
        <PasswordField value={password} onChange={setPassword} />
        <Failed error={error} />
        <div className="flex flex-wrap justify-end gap-3">
          <button type="button" className="button" onClick={onClose}>
            {t.common.cancel}
          </button>
          <button type="submit" className="button-main" disabled={isPending || password === ''}>
            {button}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
