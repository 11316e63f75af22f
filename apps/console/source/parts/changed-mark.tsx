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
    // Takes no room, so that the figures of a column stay aligned.
    <span role="img" aria-label={words} title={words} className="relative inline-block w-0">
      <span aria-hidden="true" className="absolute bottom-1.5 left-0.5 text-accent text-xs leading-none">
        ●
      </span>
    </span>
  );
}
