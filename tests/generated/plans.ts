import pg from 'pg';

/** The parts of a node of PostgreSQL's plan that are checked. */
interface Node {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly 'Recheck Cond'?: string;
  readonly Filter?: string;
  readonly Plans?: readonly Node[];
}

/** How a statement read a table. */
export interface Scan {
  readonly table: string;
  /** The role of the connection. */
  readonly role: string;
  readonly statement: string;
  /** Whether an index was searched by its first column; otherwise the table or an index was read from end to end. */
  readonly isEntered: boolean;
  /** All conditions applied where the rows were read. */
  readonly conditions: string;
}

type StatementSource = Pick<Scan, 'role' | 'statement'>;

/**
 * Records the plan of every statement of this process in one database, including those in functions, triggers and foreign keys. Tables
 * appear large, and the planner avoids full scans where an index can be used. Row-level security is off, so that only the conditions of
 * the statement itself filter by tenant.
 */
export class Plans {
  readonly #scans = new Map<string, Scan>();
  readonly #statements = new Set<string>();
  readonly #ownerUrl: string;
  readonly #firstColumns: ReadonlyMap<string, string>;
  readonly #emit = pg.Client.prototype.emit;
  /** False while a test prepares data, whose statements are not checked. */
  isRecording = false;

  private constructor(ownerUrl: string, database: string, firstColumns: ReadonlyMap<string, string>) {
    this.#ownerUrl = ownerUrl;
    this.#firstColumns = firstColumns;
    const [plans, emit] = [this, this.#emit];
    pg.Client.prototype.emit = function (this: pg.Client, name: string | symbol, ...args: unknown[]) {
      if (name === 'notice' && plans.isRecording && this.database === database)
        plans.#record(this.user ?? '', (args[0] as { message?: string }).message ?? '');
      return emit.call(this, name, ...args);
    };
  }

  /** Must be called before any connection is opened. */
  static async open(ownerUrl: string): Promise<Plans> {
    const admin = await connectAdmin(ownerUrl);
    const name = admin.database ?? '';
    try {
      await admin.query(`
        DO $$ DECLARE name regclass; BEGIN
          FOR name IN SELECT oid FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace LOOP
            EXECUTE format('ALTER TABLE %s DISABLE ROW LEVEL SECURITY', name);
            EXECUTE format('ALTER TABLE %s SET (autovacuum_enabled = false)', name);
          END LOOP;
        END $$`);
      const settings = {
        session_preload_libraries: 'auto_explain',
        'auto_explain.log_min_duration': '0',
        'auto_explain.log_level': 'notice',
        'auto_explain.log_format': 'json',
        'auto_explain.log_nested_statements': 'on',
        enable_seqscan: 'off',
        enable_hashjoin: 'off',
        enable_mergejoin: 'off',
      };
      for (const [setting, value] of Object.entries(settings))
        await admin.query(`ALTER DATABASE ${name} SET ${setting} = '${value}'`);
      const { rows } = await admin.query<{ index: string; first: string }>(
        'SELECT indexrelid::regclass::name AS index, pg_get_indexdef(indexrelid, 1, false) AS first FROM pg_index',
      );
      return new Plans(ownerUrl, name, new Map(rows.map(({ index, first }) => [index, first])));
    } finally {
      await admin.end();
    }
  }

  /** Gives tables with a few rows the statistics of a million rows; otherwise the planner would not care how it reads them. */
  async pretendLarge(): Promise<void> {
    const admin = await connectAdmin(this.#ownerUrl);
    // An index has one page more than those with rows.
    await admin.query(`
      UPDATE pg_class SET relpages = CASE relkind WHEN 'i' THEN 2 ELSE 1 END, reltuples = 1e6
      WHERE relkind IN ('r', 'i') AND relnamespace = 'public'::regnamespace
        AND pg_relation_size(oid) > CASE relkind WHEN 'i' THEN 8192 ELSE 0 END`);
    await admin.end();
  }

  get scans(): readonly Scan[] {
    return [...this.#scans.values()];
  }

  get statements(): ReadonlySet<string> {
    return this.#statements;
  }

  close(): void {
    pg.Client.prototype.emit = this.#emit;
  }

  #record(role: string, message: string): void {
    const [prefix = '', text] = message.split('plan:\n', 2);
    if (text === undefined || !prefix.startsWith('duration:')) return;
    const { 'Query Text': query, Plan: plan } = JSON.parse(text) as { 'Query Text': string; Plan: Node };
    const statement = query.replaceAll(/\s+/g, ' ').trim();
    this.#statements.add(statement);
    this.#read(plan, { role, statement }, { wantsFew: false, heap: undefined });
  }

  /** Below a Limit, a walk along an index stops after the first rows; a sort or an aggregate in between would read all of them. */
  #read(node: Node, source: StatementSource, above: { wantsFew: boolean; heap: Node | undefined }): void {
    const type = node['Node Type'];
    const table = node['Relation Name'] ?? above.heap?.['Relation Name'];
    if (/^(Seq|Index|Index Only|Bitmap Index) Scan$/.test(type) && table !== undefined) {
      const first = this.#firstColumns.get(node['Index Name'] ?? '');
      const condition = node['Index Cond'] ?? '';
      // If several indexes are combined, only the heap scan has all conditions.
      const ofHeap = [above.heap?.['Recheck Cond'], above.heap?.Filter];
      const conditions = [condition, node.Filter, ...ofHeap].filter(Boolean).join(' ');
      const isWalked = above.wantsFew && first !== undefined && conditions === '';
      const scan: Scan = {
        ...source,
        table,
        conditions,
        isEntered: isWalked || (first !== undefined && condition.includes(first)),
      };
      this.#scans.set(
        `${table} ${scan.isEntered} ${conditions.replaceAll(/'[^']*'/g, '?')} ${source.role} ${source.statement}`,
        scan,
      );
    }
    const wantsFew = type === 'Limit' || (above.wantsFew && !/Sort|Aggregate|Hash/.test(type));
    const heap = type === 'Bitmap Heap Scan' ? node : type.startsWith('Bitmap') ? above.heap : undefined;
    for (const below of node.Plans ?? []) this.#read(below, source, { wantsFew, heap });
  }
}

/** Only a superuser may load auto_explain. The superuser of the test engines has the owner's password. */
async function connectAdmin(ownerUrl: string): Promise<pg.Client> {
  const url = new URL(ownerUrl);
  url.username = 'postgres';
  const admin = new pg.Client({ connectionString: url.href });
  await admin.connect();
  return admin;
}
