import { count, moment, words } from '../format.ts';
import { type Held, mostHeld } from '../queries.ts';

interface IdentityProps {
  readonly held: Held;
  readonly timeZone: string;
}

/** What the person is known by: each with who said it, and when. */
export function Identity({ held, timeZone }: IdentityProps) {
  const { identifiers, disputed_identifiers: disputed, browsers, customers, totals } = held;
  const merged = customers.filter(({ merged_into: into }) => into !== null);
  if (customers.length === 0)
    return (
      <section aria-labelledby="identity" className="card p-5">
        <h2 id="identity">Identity</h2>
        <p className="label">A browser that nobody is known of.</p>
      </section>
    );
  return (
    <section aria-labelledby="identity" className="card grid gap-4 p-5">
      <h2 id="identity">Identity</h2>
      <Evidence
        title="Known by"
        total={totals.identifiers}
        lines={identifiers.map((one) => ({ what: words(one.kind), value: one.value, ...saidBy(one) }))}
        timeZone={timeZone}
      />
      <Evidence
        title="Browsers"
        total={totals.browsers}
        lines={browsers.map(({ visitor_id: value, source, is_signed, linked_at: at }) => ({
          what: 'Browser',
          value,
          source: is_signed ? `${source}, signed by your server` : source,
          at,
        }))}
        timeZone={timeZone}
      />
      <Evidence
        title="Turned out to be the same"
        total={merged.length}
        lines={merged.map((one) => ({
          what: 'Customer',
          value: one.customer_profile_id,
          source: one.sources.join(', '),
          at: one.created_at,
        }))}
        timeZone={timeZone}
      />
      <Evidence
        title="Said of them, and belongs to another"
        total={totals.disputed_identifiers}
        lines={disputed.map((one) => ({ what: words(one.kind), value: one.value, ...saidBy(one) }))}
        timeZone={timeZone}
      />
    </section>
  );
}

const saidBy = ({ source, said_at: at }: Held['identifiers'][number]) => ({ source, at });

interface EvidenceProps {
  readonly title: string;
  readonly total: number;
  readonly lines: readonly {
    readonly what: string;
    readonly value: string;
    readonly source: string;
    readonly at: string;
  }[];
  readonly timeZone: string;
}

function Evidence({ title, total, lines, timeZone }: EvidenceProps) {
  if (lines.length === 0) return null;
  return (
    <div>
      <h3>{title}</h3>
      <ul aria-label={title} className="divide-y divide-line">
        {lines.map(({ what, value, source, at }) => (
          <li key={`${what} ${value} ${source}`} className="py-1.5">
            <span className="break-all">{value}</span>
            <span className="label block">
              {what}, from {words(source)}, {moment(at, timeZone)}
            </span>
          </li>
        ))}
      </ul>
      {total > lines.length && (
        <p className="label">
          The first {count(mostHeld)} of {count(total)}.
        </p>
      )}
    </div>
  );
}
