import { moved, today } from '../date-range.ts';
import { useChangeSearch, usePlace } from '../place.ts';
import { say } from '../words/index.ts';

/** The day at whose end the report is shown. It stands in the address, so a report that was sent to somebody shows the same. */
export function AsOfPicker() {
  const { place } = usePlace();
  const change = useChangeSearch();
  return (
    <div className="flex items-center gap-2">
      <label className="flex items-center gap-2">
        <span className="label">{say.explain.asItStoodLabel}</span>
        <input
          type="date"
          className="field number"
          max={moved(today(), -1)}
          value={place.asOf ?? ''}
          onChange={({ target }) => change({ asOf: target.value || undefined })}
        />
      </label>
      {place.asOf && (
        <button type="button" className="button" onClick={() => change({ asOf: undefined })}>
          {say.explain.asItStands}
        </button>
      )}
    </div>
  );
}
