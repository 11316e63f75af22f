import { t } from '../messages/index.ts';

interface MoreProps {
  readonly query: {
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    fetchNextPage(): Promise<unknown>;
  };
}

/** Loads the next page below the current one. */
export function More({ query }: MoreProps) {
  if (!query.hasNextPage) return null;
  return (
    <button
      type="button"
      className="button mt-3"
      disabled={query.isFetchingNextPage}
      onClick={() => void query.fetchNextPage()}
    >
      {query.isFetchingNextPage ? t.common.loadingMore : t.common.showMore}
    </button>
  );
}
