import { type ReactNode, useId } from 'react';

/** A labelled field with an optional hint below. */
export function Labelled({
  title,
  about,
  children,
}: {
  readonly title: string;
  readonly about?: string;
  readonly children: (id: string) => ReactNode;
}) {
  const id = useId();
  return (
    <div className="grid gap-1">
      <label htmlFor={id} className="label">
        {title}
      </label>
      {children(id)}
      {about && <p className="text-small text-soft">{about}</p>}
    </div>
  );
}
