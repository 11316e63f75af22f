import { say } from '../words/index.ts';

interface ChangedMarkProps {
  /** What it was or is besides, written out. */
  readonly other: string;
  readonly when: 'closed' | 'now';
}

/** A figure that is another one at the other moment. */
export function ChangedMark({ other, when }: ChangedMarkProps) {
  const words = when === 'closed' ? say.closings.whenClosed(other) : say.closings.now(other);
  return (
    <span role="img" aria-label={words} title={words} className="ml-1 align-super text-accent text-xs">
      ●
    </span>
  );
}
