import { sumAmounts } from '@tributary/rules';
import type { FastifyInstance } from 'fastify';

type Query = Readonly<Record<string, string>>;

/** The fields that drills read of a report row, or of the unattributed rest. */
export interface ReportRow {
  readonly campaign_id: string;
  readonly attributed_outcomes_by_type: Readonly<Record<string, number>>;
  readonly [figure: string]: unknown;
}

export interface Explained {
  readonly value: string;
  readonly contributes: string;
  readonly rowCount: number;
  /** The sum over the rows of all pages. */
  readonly sum: string;
  readonly rows: number;
}

export type Reports = ReturnType<typeof openReports>;

/** Reads all pages of reports through the API. */
export function openReports(fastify: FastifyInstance, headers: Readonly<Record<string, string>>) {
  const read = async (path: string, query: Query) => {
    const url = `/api/v1${path}?${new URLSearchParams(query)}`;
    const response = await fastify.inject({ method: 'GET', url, headers });
    if (response.statusCode !== 200) throw new Error(`${url}: ${response.body}`);
    return response.json();
  };
  async function* pages(path: string, query: Query) {
    for (let cursor = ''; ; ) {
      const page = await read(path, { ...query, ...(cursor && { cursor }) });
      yield page.data;
      if (!page.pagination.has_next) return;
      cursor = page.pagination.cursor;
    }
  }
  const reports = {
    async rows(query: Query): Promise<ReportRow[]> {
      const rows: ReportRow[] = [];
      for await (const page of pages('/campaigns', { limit: '100', ...query })) rows.push(...page);
      return rows;
    },
    rest: async (query: Query): Promise<ReportRow> => ({
      campaign_id: 'unattributed',
      ...(await read('/campaigns/unattributed', query)).data,
    }),
    /** All rows and the unattributed rest. */
    parts: async (query: Query): Promise<ReportRow[]> => [...(await reports.rows(query)), await reports.rest(query)],
    async explain(query: Query): Promise<Explained> {
      let [sum, rows] = ['0', 0];
      let last = { value: '', contributes: '', row_count: 0 };
      for await (const page of pages('/explain', { limit: '200', ...query })) {
        const found: { contributes: string }[] = [...page.conversions, ...page.delivery];
        sum = sumAmounts([sum, ...found.map(({ contributes }) => contributes)]);
        rows += found.length;
        last = page;
      }
      return { value: last.value, contributes: last.contributes, rowCount: last.row_count, sum, rows };
    },
  };
  return reports;
}
