import { moved, today } from '../date-range.ts';
import { t } from '../messages/index.ts';
import { useChangeSearch, useReportScope } from '../report-scope.ts';

/** The date at whose end the report is shown. It is part of the URL, so a copied link shows the same report. */
export function AsOfPicker() {
  const { scope } = useReportScope();
  const change = useChangeSearch();
  return (
    <div className="flex items-center gap-2">
      <label className="flex items-center gap-2">
        <span className="label">{t.explain.asItStoodLabel}</span>
        <input
          type="date"
          className="field number"
          max={moved(today(), -1)}
          value={scope.asOf ?? ''}
          onChange={({ target }) => change({ asOf: target.value || undefined })}
        />
      </label>
      {scope.asOf && (
        <button type="button" className="button" onClick={() => change({ asOf: undefined })}>
          {t.explain.asItStands}
        </button>
      )}
    </div>
  );
}
