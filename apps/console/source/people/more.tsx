import { say } from '../words/index.ts';

interface MoreProps {
  readonly query: {
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    fetchNextPage(): Promise<unknown>;
  };
}

/** The next page, below those that are there. */
export function More({ query }: MoreProps) {
  if (!query.hasNextPage) return null;
  return (
    <button
      type="button"
      className="button mt-3"
      disabled={query.isFetchingNextPage}
      onClick={() => void query.fetchNextPage()}
    >
      {query.isFetchingNextPage ? say.common.loadingMore : say.common.showMore}
    </button>
  );
}
