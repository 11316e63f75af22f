import { count, moment, words } from '../format.ts';
import { t } from '../messages/index.ts';
import { type CustomerData, maxListed } from '../queries.ts';

interface IdentityProps {
  readonly held: CustomerData;
  readonly timeZone: string;
}

/** The customer's identifiers, each with its source and time. */
export function Identity({ held, timeZone }: IdentityProps) {
  const { identifiers, disputed_identifiers: disputed, browsers, customers, totals } = held;
  const merged = customers.filter(({ merged_into: into }) => into !== null);
  if (customers.length === 0)
    return (
      <section aria-labelledby="identity" className="card p-5">
        <h2 id="identity">{t.people.identity}</h2>
        <p className="label">{t.people.unknownBrowser}</p>
      </section>
    );
  return (
    <section aria-labelledby="identity" className="card grid gap-4 p-5">
      <h2 id="identity">{t.people.identity}</h2>
      <Evidence
        title={t.people.knownAs}
        total={totals.identifiers}
        lines={identifiers.map((one) => ({ what: words(one.kind), value: one.value, ...sourceOf(one) }))}
        timeZone={timeZone}
      />
      <Evidence
        title={t.people.browsers}
        total={totals.browsers}
        lines={browsers.map(({ visitor_id: value, source, is_signed, linked_at: at }) => ({
          what: t.people.browser,
          value,
          source: is_signed ? t.people.signed(source) : source,
          at,
        }))}
        timeZone={timeZone}
      />
      <Evidence
        title={t.people.theSame}
        total={merged.length}
        lines={merged.map((one) => ({
          what: t.people.customer,
          value: one.customer_profile_id,
          source: one.sources.join(', '),
          at: one.created_at,
        }))}
        timeZone={timeZone}
      />
      <Evidence
        title={t.people.ofAnother}
        total={totals.disputed_identifiers}
        lines={disputed.map((one) => ({ what: words(one.kind), value: one.value, ...sourceOf(one) }))}
        timeZone={timeZone}
      />
    </section>
  );
}

const sourceOf = ({ source, said_at: at }: CustomerData['identifiers'][number]) => ({ source, at });

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
            <span className="label block">{t.people.evidence(what, words(source), moment(at, timeZone))}</span>
          </li>
        ))}
      </ul>
      {total > lines.length && <p className="label">{t.people.firstOf(count(maxListed), count(total))}</p>}
    </div>
  );
}
