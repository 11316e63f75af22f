import type { ReactNode } from 'react';
import { problemOf } from '../problem.ts';
import { useTitle } from './use-title.ts';

interface PageProps {
  readonly title: string;
  /** What the page is for, in a sentence. */
  readonly about: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** The head of a page that is no report, and what stands under it. */
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

/** How something stands, in a word. */
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
