import type { ReactNode } from 'react';
import { problemOf } from '../problem.ts';
import { useTitle } from './use-title.ts';

interface PageProps {
  readonly title: string;
  /** The purpose of the page, in one sentence. */
  readonly about: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** The header and body of a page that is not a report. */
export function Page({ title, about, actions, children }: PageProps) {
  useTitle(title);
  return (
    <>
      <div className="mb-4 flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <div>
          <h1>{title}</h1>
          <p className="max-w-prose text-soft">{about}</p>
        </div>
        {actions}
      </div>
      {children}
    </>
  );
}

const tones = {
  good: 'bg-accent-soft text-ink',
  plain: 'bg-tint text-soft',
  bad: 'bg-problem-soft text-problem',
} as const;

/** A status badge. */
export function State({ tone, children }: { readonly tone: keyof typeof tones; readonly children: ReactNode }) {
  return <span className={`inline-block rounded px-2 py-0.5 font-medium text-small ${tones[tone]}`}>{children}</span>;
}

export function Failed({ error }: { readonly error: Error | null }) {
  return (
    error && (
      <p role="alert" className="mt-2 border-problem border-l-2 pl-3 text-problem">
        {problemOf(error)}
      </p>
    )
  );
}
