import { t } from '../messages/index.ts';

interface ChangedMarkProps {
  /** The figure at the other time, formatted. */
  readonly other: string;
  readonly when: 'closed' | 'now';
}

/** Marks a figure whose value differs at the other time. */
export function ChangedMark({ other, when }: ChangedMarkProps) {
  const words = when === 'closed' ? t.closings.whenClosed(other) : t.closings.now(other);
  return (
    // Zero width, so that the figures of a column stay aligned.
    <span role="img" aria-label={words} title={words} className="relative inline-block w-0">
      <span aria-hidden="true" className="absolute bottom-1.5 left-0.5 text-accent text-xs leading-none">
        ●
      </span>
    </span>
  );
}
