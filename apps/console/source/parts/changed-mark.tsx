interface ChangedMarkProps {
  /** What it was or is besides, written out. */
  readonly other: string;
  readonly when: 'closed' | 'now';
}

/** A figure that is another one at the other moment. */
export function ChangedMark({ other, when }: ChangedMarkProps) {
  const words = when === 'closed' ? `${other} when the month was closed` : `${other} as it stands now`;
  return (
    <span role="img" aria-label={words} title={words} className="ml-1 align-super text-accent text-xs">
      ●
    </span>
  );
}
