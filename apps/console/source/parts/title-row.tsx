interface TitleRowProps {
  readonly first: string;
  readonly others: readonly string[];
}

/** The header row of a small table: the row title, then the figures, right-aligned. */
export function TitleRow({ first, others }: TitleRowProps) {
  return (
    <tr className="label text-right">
      <th scope="col" className="py-1 text-left font-medium">
        {first}
      </th>
      {others.map((title) => (
        <th key={title} scope="col" className="pl-3 font-medium">
          {title}
        </th>
      ))}
    </tr>
  );
}
