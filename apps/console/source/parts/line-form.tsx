import type { ReactNode } from 'react';
import { t } from '../messages/index.ts';

interface LineFormProps {
  readonly onSubmit: (form: HTMLFormElement) => void;
  readonly children: ReactNode;
}

/** A form on one line where the screen is wide enough: labelled fields, then the submit button. */
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

export function TitledField({ title, children }: { readonly title: string; readonly children: ReactNode }) {
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

/** The name of a new item. */
export function NameField({ value, onChange, maxLength }: NameFieldProps) {
  return (
    <TitledField title={t.common.name}>
      <input
        className="field"
        required
        maxLength={maxLength}
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
    </TitledField>
  );
}
