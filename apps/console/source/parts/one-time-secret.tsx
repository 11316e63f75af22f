import { t } from '../messages/index.ts';
import { Copy } from './copy.tsx';

/** A secret that the API returns once, with a button that copies it. */
export function OneTimeSecret({
  secret,
  about,
  note,
}: {
  readonly secret: string;
  readonly about: string;
  readonly note?: string;
}) {
  return (
    <p className="flex flex-wrap items-center gap-3" role="status">
      <code className="break-all">{secret}</code>
      <Copy text={secret} about={about} />
      <span className="label">{note ?? t.keys.once}</span>
    </p>
  );
}
