import * as ToggleGroup from '@radix-ui/react-toggle-group';

interface ChoiceProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly options: readonly { readonly value: Value; readonly title: string }[];
  readonly onChange: (value: Value) => void;
}

/** A single choice among a few visible options. */
export function Choice<Value extends string>({ label, value, options, onChange }: ChoiceProps<Value>) {
  return (
    <ToggleGroup.Root
      type="single"
      aria-label={label}
      value={value}
      // Ignores deselection: clicking the selected option would leave none selected.
      onValueChange={(next) => next && onChange(next as Value)}
      className="inline-flex rounded-md border border-line bg-paper p-0.5"
    >
      {options.map((option) => (
        <ToggleGroup.Item
          key={option.value}
          value={option.value}
          className="rounded px-3 py-1 text-soft data-[state=on]:bg-accent-soft data-[state=on]:font-semibold data-[state=on]:text-ink"
        >
          {option.title}
        </ToggleGroup.Item>
      ))}
    </ToggleGroup.Root>
  );
}
