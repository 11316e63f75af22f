import { t } from '../messages/index.ts';
import { Labelled } from './labelled.tsx';

interface PasswordFieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** Requires the password again, so that a hijacked session cannot destroy anything or widen access. */
export const PasswordField = ({ value, onChange }: PasswordFieldProps) => (
  <Labelled title={t.account.yourPassword}>
    {(id) => (
      <input
        id={id}
        className="field"
        type="password"
        autoComplete="current-password"
        required
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
    )}
  </Labelled>
);
