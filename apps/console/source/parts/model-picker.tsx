import { useId } from 'react';
import { words } from '../format.ts';
import { t } from '../messages/index.ts';
import { useChangeSearch, useReportScope } from '../report-scope.ts';
import type { Model } from '../search.ts';
import { models } from '../vocabulary.ts';
import { AttributionWindow } from './attribution-window.tsx';

/** Selects one of the six attribution models. */
export function ModelPicker() {
  const { model } = useReportScope();
  const change = useChangeSearch();
  const [picker, about] = [useId(), useId()];
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <label htmlFor={picker} className="label">
        {t.models.model}
      </label>
      <select
        id={picker}
        aria-describedby={about}
        className="field"
        value={model}
        onChange={({ target }) => change({ model: target.value as Model })}
      >
        {Object.keys(models).map((name) => (
          <option key={name} value={name}>
            {words(name)}
          </option>
        ))}
      </select>
      <span id={about} className="label">
        {t.models.about[model]}
      </span>
      <AttributionWindow />
    </div>
  );
}
