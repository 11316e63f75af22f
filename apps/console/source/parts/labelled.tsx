import { type ReactNode, useId } from 'react';

/** A field under its title, with a word on it below. */
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
