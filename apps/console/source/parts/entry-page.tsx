import { type ReactNode, useId } from 'react';
import { Brand } from './brand.tsx';
import { LanguagePicker } from './language-picker.tsx';

/** The frame of the pages that need no session: brand, one card, language. */
export function EntryPage({ children }: { readonly children: ReactNode }) {
  return (
    <main className="grid min-h-dvh place-items-center p-4">
      <div className="grid w-full max-w-sm gap-6">
        <Brand />
        <div className="card grid gap-4 p-6">{children}</div>
        <LanguagePicker className="w-40" />
      </div>
    </main>
  );
}

interface EntryFieldProps {
  readonly label: string;
  readonly name: string;
  readonly type?: 'text' | 'email' | 'password';
  readonly autoComplete: string;
  readonly value?: string;
  readonly isReadOnly?: boolean;
}

export function EntryField({ label, name, type = 'text', autoComplete, value, isReadOnly }: EntryFieldProps) {
  const id = useId();
  return (
    <div className="grid gap-1">
      <label htmlFor={id} className="label">
        {label}
      </label>
      <input
        id={id}
        className="field"
        name={name}
        type={type}
        autoComplete={autoComplete}
        defaultValue={value}
        readOnly={isReadOnly}
        required
      />
    </div>
  );
}

/** The text fields of a submitted form. */
export const readForm = (form: HTMLFormElement): Readonly<Record<string, string>> =>
  Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value)]));
