import type { UseQueryResult } from '@tanstack/react-query';
import { TributaryError } from '@tributary/sdk';
import type { ReactNode } from 'react';
import { t } from '../messages/index.ts';
import { problemOf } from '../problem.ts';

/** Placeholder states of screens, the same everywhere. */

export function Loading({ lines = 4 }: { readonly lines?: number }) {
  return (
    <div className="card grid gap-3 p-5" role="status">
      <span className="sr-only">{t.common.loading}</span>
      {Array.from({ length: lines }, (_, line) => `line ${line}`).map((line) => (
        <div key={line} className="h-4 animate-pulse rounded bg-tint motion-reduce:animate-none" />
      ))}
    </div>
  );
}

export function Empty({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <div className="card p-8 text-center">
      <p className="font-semibold">{title}</p>
      {children && <div className="mx-auto mt-1 max-w-prose text-soft">{children}</div>}
    </div>
  );
}

export function Problem({ error, again }: { readonly error: Error; readonly again?: () => void }) {
  const { requestId, docsUrl } = error instanceof TributaryError ? error : { requestId: undefined, docsUrl: undefined };
  return (
    <div className="card border-problem p-5" role="alert">
      <p className="font-semibold text-problem">{t.states.failed}</p>
      <p className="mt-1">{problemOf(error)}</p>
      {requestId && (
        <p className="label mt-1">
          {t.states.request} <code className="break-all">{requestId}</code>
        </p>
      )}
      <div className="mt-3 flex flex-wrap items-center gap-3">
        {again && (
          <button type="button" className="button" onClick={again}>
            {t.states.again}
          </button>
        )}
        {docsUrl && (
          <a className="text-accent underline" href={new URL(docsUrl).pathname}>
            {t.states.meaning}
          </a>
        )}
      </div>
    </div>
  );
}

export function Missing() {
  return (
    <main className="mx-auto max-w-xl p-6">
      <Empty title={t.states.missing}>
        <a className="text-accent underline" href="/">
          {t.states.start}
        </a>
      </Empty>
    </main>
  );
}

/** Shows the data of a query or its error. Previous data stays visible while newer data loads. */
export function QueryResult<Data>({
  query,
  lines,
  children,
}: {
  readonly query: UseQueryResult<Data>;
  readonly lines?: number;
  readonly children: (data: Data) => ReactNode;
}) {
  const problem = query.isError && <Problem error={query.error} again={() => void query.refetch()} />;
  if (query.data !== undefined)
    return (
      <>
        {problem}
        {children(query.data)}
      </>
    );
  return problem || <Loading {...(lines && { lines })} />;
}
