import type { ReactNode } from 'react';
import { say } from '../words/index.ts';

interface LineFormProps {
  readonly onSubmit: (form: HTMLFormElement) => void;
  readonly children: ReactNode;
}

/** A form in one line where there is room for it: fields under their titles, and what is pressed in the end. */
export function LineForm({ onSubmit, children }: LineFormProps) {
  return (
    <form
      className="flex flex-wrap items-end gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit(event.currentTarget);
      }}
    >
      {children}
    </form>
  );
}

/** A field under its title. */
export function Titled({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the field is among the children.
    <label className="grid min-w-0 grid-cols-1 gap-1">
      <span className="label">{title}</span>
      {children}
    </label>
  );
}

interface NameFieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly maxLength: number;
}

/** What something new is to be called. */
export function NameField({ value, onChange, maxLength }: NameFieldProps) {
  return (
    <Titled title={say.common.name}>
      <input
        className="field"
        required
        maxLength={maxLength}
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
    </Titled>
  );
}
