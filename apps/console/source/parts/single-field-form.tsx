import { type ReactNode, useId } from 'react';
import { problemOf } from '../problem.ts';
import { LineForm } from './line-form.tsx';

export function Section({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="card grid gap-3 p-6">
      <h2>{title}</h2>
      {children}
    </section>
  );
}

/** A form with one field and its submit button. */
export function SingleFieldForm({
  label,
  type,
  button,
  error,
  onSubmit,
}: {
  readonly label: string;
  readonly type: 'password' | 'text';
  readonly button: string;
  readonly error: Error | null;
  readonly onSubmit: (value: string) => void;
}) {
  const field = useId();
  return (
    <LineForm onSubmit={(form) => onSubmit(String(new FormData(form).get('value')).trim())}>
      <div className="grid gap-1">
        <label htmlFor={field} className="label">
          {label}
        </label>
        <input
          id={field}
          className="field"
          name="value"
          type={type}
          autoComplete={type === 'password' ? 'current-password' : 'one-time-code'}
          required
        />
      </div>
      <button type="submit" className="button-main">
        {button}
      </button>
      {error && (
        <p role="alert" className="w-full border-problem border-l-2 pl-3 text-problem">
          {problemOf(error)}
        </p>
      )}
    </LineForm>
  );
}
