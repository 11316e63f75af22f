import { Link } from '@tanstack/react-router';
import { fields, formatFigure } from '../fields.ts';
import { nothing } from '../format.ts';
import { t } from '../messages/index.ts';
import type { Explained } from '../search.ts';
import { sharedLink } from '../shared-link.ts';

interface FigureProps {
  readonly of: Explained;
  readonly value: number | string | null | undefined;
  readonly currency: string;
  /** The subject of the figure, for screen readers: "Winter sale". */
  readonly about: string;
  readonly className?: string;
}

/** A figure that opens its explanation when clicked. The explanation is part of the URL, so it can be shared. */
export function Figure({ of, value, currency, about, className = '' }: FigureProps) {
  const text = formatFigure(of.field, value, currency);
  if (sharedLink()) return <span className={`number ${className}`}>{text}</span>;
  if (text === nothing) return <span className={`number text-soft ${className}`}>{text}</span>;
  return (
    <Link
      to="."
      search={(before) => ({ ...before, explain: of })}
      resetScroll={false}
      className={`number rounded-sm decoration-line decoration-dotted underline underline-offset-4 hover:text-accent hover:decoration-accent ${className}`}
      aria-label={t.table.explain(text, fields[of.field].title, about)}
    >
      {text}
    </Link>
  );
}
