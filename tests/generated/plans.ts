import pg from 'pg';

/** A node of a plan as PostgreSQL tells it, as far as it is looked at. */
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
  /** Whose the connection was. */
  readonly role: string;
  readonly statement: string;
  /** Whether an index was entered by its first column; else the table or an index of it was read from end to end. */
  readonly isEntered: boolean;
  /** All that was asked of the rows where they were read. */
  readonly conditions: string;
}

type Heard = Pick<Scan, 'role' | 'statement'>;

/**
 * Hears how PostgreSQL runs every statement of this process in one database, those in functions, triggers and foreign keys among
 * them. Tables look large, and none is read from end to end where an index can be entered; policies are off, so that nothing but the
 * statement itself says whose rows it wants.
 */
export class Plans {
  readonly #scans = new Map<string, Scan>();
  readonly #statements = new Set<string>();
  readonly #ownerUrl: string;
  readonly #firstColumns: ReadonlyMap<string, string>;
  readonly #emit = pg.Client.prototype.emit;
  /** What a test makes for itself is not looked at. */
  isHearing = false;

  private constructor(ownerUrl: string, database: string, firstColumns: ReadonlyMap<string, string>) {
    this.#ownerUrl = ownerUrl;
    this.#firstColumns = firstColumns;
    const [plans, emit] = [this, this.#emit];
    pg.Client.prototype.emit = function (this: pg.Client, name: string | symbol, ...args: unknown[]) {
      if (name === 'notice' && plans.isHearing && this.database === database)
        plans.#hear(this.user ?? '', (args[0] as { message?: string }).message ?? '');
      return emit.call(this, name, ...args);
    };
  }

  /** To be called before anybody is connected. */
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

  /** Takes tables with a few rows for such of a million, or it would not matter to PostgreSQL how they are read. */
  async pretendLarge(): Promise<void> {
    const admin = await connectAdmin(this.#ownerUrl);
    // An index has a page of its own besides those with rows.
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

  #hear(role: string, message: string): void {
    const [told = '', text] = message.split('plan:\n', 2);
    if (text === undefined || !told.startsWith('duration:')) return;
    const { 'Query Text': query, Plan: plan } = JSON.parse(text) as { 'Query Text': string; Plan: Node };
    const statement = query.replaceAll(/\s+/g, ' ').trim();
    this.#statements.add(statement);
    this.#read(plan, { role, statement }, { wantsFew: false, heap: undefined });
  }

  /** Below a node that wants only the first rows, a walk along an index ends with them; a sort or a filter would ask for more. */
  #read(node: Node, heard: Heard, above: { wantsFew: boolean; heap: Node | undefined }): void {
    const type = node['Node Type'];
    const table = node['Relation Name'] ?? above.heap?.['Relation Name'];
    if (/^(Seq|Index|Index Only|Bitmap Index) Scan$/.test(type) && table !== undefined) {
      const first = this.#firstColumns.get(node['Index Name'] ?? '');
      const condition = node['Index Cond'] ?? '';
      // Of several indexes that are read together, one may name what another does not.
      const ofHeap = [above.heap?.['Recheck Cond'], above.heap?.Filter];
      const conditions = [condition, node.Filter, ...ofHeap].filter(Boolean).join(' ');
      const isWalked = above.wantsFew && first !== undefined && conditions === '';
      const scan: Scan = {
        ...heard,
        table,
        conditions,
        isEntered: isWalked || (first !== undefined && condition.includes(first)),
      };
      this.#scans.set(
        `${table} ${scan.isEntered} ${conditions.replaceAll(/'[^']*'/g, '?')} ${heard.role} ${heard.statement}`,
        scan,
      );
    }
    const wantsFew = type === 'Limit' || (above.wantsFew && !/Sort|Aggregate|Hash/.test(type));
    const heap = type === 'Bitmap Heap Scan' ? node : type.startsWith('Bitmap') ? above.heap : undefined;
    for (const below of node.Plans ?? []) this.#read(below, heard, { wantsFew, heap });
  }
}

/** Only an administrator may have plans told. That of our own engines has the owner's password. */
async function connectAdmin(ownerUrl: string): Promise<pg.Client> {
  const url = new URL(ownerUrl);
  url.username = 'postgres';
  const admin = new pg.Client({ connectionString: url.href });
  await admin.connect();
  return admin;
}
